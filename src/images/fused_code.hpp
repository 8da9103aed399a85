#pragma once
/// Finds code of fused kernels in the persistent cache, or lets the JIT make it.

#include <abi/launch_abi.hpp>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "code_variant.hpp"
#include "fusion_choice.hpp"
#include "fusion_facts.hpp"

namespace sinter {

/// The result of a request to fuse; facts.refused says why there is no code.
struct fused_code {
  code_variant variant;
  fusion_facts facts;
  report_statement origin;  ///< the time of compiling, or words that say that the code was in the cache
  mutable std::atomic<bool> reported{false};
  /// Measures whether the code is faster than the members; null: the code is always used.
  fusion_choice* choice = nullptr;
};
struct fusion_job {
  const code_target& target;
  launch_class launches;
  std::span<abi::kernel_descriptor* const> members;
  std::size_t launched;  ///< the code runs these first ones; one more only runs behind it (abi/members_behind.hpp)
  std::string form;  ///< equal for requests that may run the same code, in this process and in others
  /// The numbers of the request that code with these facts depends on; they are compared.
  std::function<std::string(const fusion_facts&)> numbers;
};
/// Returns code for these numbers, or a refusal, from the persistent cache. Returns null if the cache has neither.
std::unique_ptr<fused_code> load_fusion(const fusion_job& job);
/// Compiles members as one kernel and keeps the result, even a refusal. `may_depend_on` lists the bytes that may be the
/// reason of a refusal.
std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on);

}  // namespace sinter
