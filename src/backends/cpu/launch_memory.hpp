#pragma once
/// Adds up the memory that a thread needs to run a part of a launch. The thread's stack does not count. If a launch
/// needs more memory than the device has, the launch is refused before any work-item runs.

#include <backends/device.hpp>
#include <cstdint>
#include <images/code_variant.hpp>

namespace sinter {

/// The bytes that one thread needs. Sums saturate (abi/byte_count.hpp).
struct launch_memory {
  launch_memory(const kernel_launch& launch, const code_variant* code, std::uint64_t group_items) noexcept;

  std::uint64_t sum() const noexcept;

  std::uint64_t local;        ///< bytes for the group's variables and local accessors
  std::uint64_t context = 0;  ///< values that are live across barriers
  std::uint64_t scratch = 0;  ///< scratch memory of group functions
  std::uint64_t arrays = 0;   ///< private arrays that are too large for the stack
};

/// Returns whether the launch needs any of the memory that launch_memory adds up. Most launches need no such memory, so
/// callers call this function first.
inline bool needs_memory(const kernel_launch& launch, const code_variant* code) noexcept {
  if (launch.local_memory_bytes != 0 || !code) return launch.local_memory_bytes != 0;
  return (code->context_bytes_per_item | code->scratch_bytes_per_item) != 0 ||
         (code->private_bytes | code->variable_bytes) != 0;
}

/// Throws errc::memory_allocation if `threads` threads together need more memory than the device has.
void check_launch_memory(const kernel_launch& launch, const launch_memory& memory, std::uint64_t threads,
                         const device_facts& device);

/// Throws errc::memory_allocation. Called if an allocation for the launch has failed.
[[noreturn]] void refuse_launch_memory(const kernel_launch& launch, const launch_memory& memory);

}  // namespace sinter
