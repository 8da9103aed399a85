#pragma once
/// Finds the code of a kernel in memory or in the cache, or lets the JIT make it.

#include <abi/launch_abi.hpp>
#include <base/report.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"
#include "code_variants.hpp"

namespace sinter {

/// Returns the local range for which code of an nd_range kernel is made. Other kernels have no groups, and groups of
/// one work-item gain nothing from a known range.
inline abi::local_range local_range_of(const abi::kernel_descriptor& kernel, const std::uint64_t* launched) noexcept {
  if (kernel.shape != abi::kernel_shape::nd_range || launched[0] * launched[1] * launched[2] == 1) return {};
  return {launched[0], launched[1], launched[2]};
}

/// Returns the code for a launch with these specialization constants (null: none are set). Code is compiled
/// at most once for the first layout of groups, and at most once for all other layouts together. The caller
/// holds an image_use. A kernel that can't be compiled gets its host entry with one warning, or errc::build under
/// SINTER_STRICT. If sub-groups are too small for its matrices, it gets errc::kernel_not_supported.
const code_variant& acquire_code(abi::kernel_descriptor& kernel, const code_target& target, launch_class launches,
                                 const abi::local_range& local_range, const void* block,
                                 const abi::specialization_table* constants);

/// Returns code for launches without set constants. Returns null if it would have to compile the kernel or to wait for
/// a thread that compiles it.
const code_variant* acquire_cached_code(abi::kernel_descriptor& kernel, const code_target& target,
                                        launch_class launches, const abi::local_range& local_range, const void* block);

/// Frees the kernel's code when its image is unregistered. The code no longer runs.
void forget_code(abi::kernel_descriptor& kernel) noexcept;

/// Prints the report of SINTER_REPORT=vectorize. `what` names the kernel in words; `values` has the same facts as data.
void report_lanes(const std::string& what, std::vector<report_value> values, const abi::jit_result& result);

}  // namespace sinter
