#pragma once
/// Counts kernels that were compiled, found in the cache, or not compiled. SINTER_REPORT=summary prints the numbers at
/// the end of the program.

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

/// Counts a kernel that capture has refused as not compiled, once.
void count_refused(const abi::kernel_descriptor& kernel);

}  // namespace sinter
