#pragma once
/// Finds or makes the code of a kernel: in memory, in the cache, by the JIT.

#include <abi/launch_abi.hpp>
#include <base/report.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"
#include "code_variants.hpp"

namespace sinter {

/// The local range that code of an nd_range kernel is made for. Other kernels have no groups, and groups of one
/// work-item gain nothing from it.
inline abi::local_range local_range_of(const abi::kernel_descriptor& kernel, const std::uint64_t* launched) noexcept {
  if (kernel.shape != abi::kernel_shape::nd_range || launched[0] * launched[1] * launched[2] == 1) return {};
  return {launched[0], launched[1], launched[2]};
}

/// The code to launch the kernel with, which sees these specialization constants (null: none are set). Code is compiled
/// at most once, whichever thread asks: for the first layout of groups, and for all other layouts together. The caller
/// holds an image_use. A kernel that can't be compiled gets its host entry with one warning, or errc::build under
/// SINTER_STRICT. If sub-groups are too small for its matrices, it gets errc::kernel_not_supported.
const code_variant& acquire_code(abi::kernel_descriptor& kernel, const code_target& target, launch_class launches,
                                 const abi::local_range& local_range, const void* block,
                                 const abi::specialization_table* constants);

/// Returns code for launches without set constants, but neither compiles nor waits for a thread that does; null: it
/// would have to.
const code_variant* acquire_cached_code(abi::kernel_descriptor& kernel, const code_target& target,
                                        launch_class launches, const abi::local_range& local_range, const void* block);

/// The image goes: frees the kernel's code. Nothing runs it any more.
void forget_code(abi::kernel_descriptor& kernel) noexcept;

/// SINTER_REPORT=vectorize. `what`: the kernel in words; `values`: the same as data.
void report_lanes(const std::string& what, std::vector<report_value> values, const abi::jit_result& result);

}  // namespace sinter
