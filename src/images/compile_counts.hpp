#pragma once
/// Counts how many kernels were compiled, how many were found in the cache, and how many were not compiled.
/// SINTER_REPORT=summary prints these numbers when the program ends.

#include <abi/launch_abi.hpp>
#include <atomic>
#include <cstdint>

namespace sinter {

struct compile_counts {
  std::atomic<unsigned> compiled{0}, hits{0}, failures{0};
  std::atomic<std::uint64_t> microseconds{0};

  static compile_counts& instance();
  void note_compiled(const abi::jit_result& result);
};

/// Counts a kernel that capture has refused among the kernels that were not compiled. Each kernel counts only once.
void count_refused(const abi::kernel_descriptor& kernel);

}  // namespace sinter
