#pragma once
/// Finds the code of a fusion in the persistent cache, or lets the JIT compile it.

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

/// The result of a request for a fusion. If the result has no code, facts.refused says why.
struct fused_code {
  code_variant variant;
  fusion_facts facts;
  report_statement origin;  ///< how long compiling took, or the statement that the code comes from the cache
  mutable std::atomic<bool> reported{false};
  /// Measures whether the code is faster than the members one by one; null: launches always use the code.
  fusion_choice* choice = nullptr;
};
struct fusion_job {
  const code_target& target;
  launch_class launches;
  std::span<abi::kernel_descriptor* const> members;
  /// the code runs this many members; one more member may run after the code (abi/members_behind.hpp)
  std::size_t launched;
  std::string form;  ///< a text that is equal for requests that may run the same code, in this and other processes
  /// Returns the numbers in this request on which code with the given facts depends. A request can use code if the
  /// request's numbers equal the numbers of the code.
  std::function<std::string(const fusion_facts&)> numbers;
};
/// Returns code for the numbers of this request, or a stored refusal, from the persistent cache. Returns null if the
/// cache has neither code nor a refusal.
std::unique_ptr<fused_code> load_fusion(const fusion_job& job);
/// Compiles the members as one kernel, and stores the result in the cache. A refusal is stored, too. `may_depend_on`
/// lists the bytes on which a refusal may depend.
std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on);

}  // namespace sinter
