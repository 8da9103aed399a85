#pragma once
/// Finds the code of a kernel in memory or in the cache, or lets the JIT compile it.

#include <abi/launch_abi.hpp>
#include <base/report.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"
#include "code_variants.hpp"

namespace sinter {

/// Returns the local range for which the code of an nd_range kernel is made. The result is all 0 for range and
/// single_task kernels, which have no groups, and for groups of one work-item, which gain nothing from a known range.
inline abi::local_range local_range_of(const abi::kernel_descriptor& kernel, const std::uint64_t* launched) noexcept {
  if (kernel.shape != abi::kernel_shape::nd_range || launched[0] * launched[1] * launched[2] == 1) return {};
  return {launched[0], launched[1], launched[2]};
}

/// Returns the code for a launch with these specialization constants. If `constants` is null, none are set. The
/// kernel's first layout of groups gets code of its own, and all later layouts share code that supports any layout.
/// The code for the first layout and the shared code are each compiled at most once. The caller has to hold an
/// image_use. If the kernel can't be compiled, prints one warning and returns the host entry; under SINTER_STRICT,
/// throws errc::build. If sub-groups are too small for the kernel's matrices, throws errc::kernel_not_supported.
const code_variant& acquire_code(abi::kernel_descriptor& kernel, const code_target& target, launch_class launches,
                                 const abi::local_range& local_range, const void* block,
                                 const abi::specialization_table* constants);

/// Returns the code for launches that set no specialization constants. Returns null if the kernel would have to be
/// compiled, or if another thread is compiling it.
const code_variant* acquire_cached_code(abi::kernel_descriptor& kernel, const code_target& target,
                                        launch_class launches, const abi::local_range& local_range, const void* block);

/// Frees the kernel's code. Called when the kernel's image is unregistered. At this time, no thread runs the code.
void forget_code(abi::kernel_descriptor& kernel) noexcept;

/// Prints the report of SINTER_REPORT=vectorize. `what` describes the kernel in words, for people; `values` has the
/// same information for programs.
void report_lanes(const std::string& what, std::vector<report_value> values, const abi::jit_result& result);

}  // namespace sinter
