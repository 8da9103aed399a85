#pragma once
/// Code of fused kernels: from the persistent cache, or made by the JIT.

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
  report_statement origin;  ///< how long it took to compile, or that it was there
  mutable std::atomic<bool> reported{false};
  fusion_choice* choice = nullptr;  ///< whether to run it is measured; null: it is known that it pays, or asked for
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
/// Code for these numbers, or a refusal, from the persistent cache; null when there is none.
std::unique_ptr<fused_code> load_fusion(const fusion_job& job);
/// Compiles members as one kernel and keeps the result, even a refusal. `may_depend_on`: the bytes that a refusal may
/// rest on.
std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on);

}  // namespace sinter
