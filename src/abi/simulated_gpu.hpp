#pragma once
/// Names that kernels for simulated GPUs (jitd/targets/simulated) and the simulation agree on. Such a kernel is a
/// shared object that calls functions of the simulation. Tests use these GPUs.

#include <cstdint>

namespace sinter::abi {

/// The names of simulated GPUs begin with this prefix. The number of work-items of a sub-group follows, 32 or 64.
inline constexpr const char* simulated_gpu_prefix = "simulated-wave";

/// The variable of the shared object with facts about its one kernel, which is a function of two pointers: argument
/// block and grid_geometry.
inline constexpr const char* simulated_facts_symbol = "sinter_simulated_facts";
struct simulated_facts {
  std::uint64_t block_bytes, block_alignment, geometry_bytes;
  std::uint32_t block[3];  ///< work-items of a block in z, y, x; zeros if launches differ
  std::uint32_t meets;     ///< 1: work-items of the kernel meet, so each needs a stack of its own
};

// The numbers of the calling work-item have these names, each with ".x", ".y" or ".z" behind it.
inline constexpr const char* simulated_thread_id = "sinter_simulated_thread_id";
inline constexpr const char* simulated_block_id = "sinter_simulated_block_id";
/// Returns the work-item's number in its sub-group.
inline constexpr const char* simulated_lane = "sinter_simulated_lane";
/// void(): all work-items of the block meet that have not ended.
inline constexpr const char* simulated_block_barrier = "sinter_simulated_block_barrier";
/// void(): all work-items of the sub-group meet that call the function. This also holds for the next two functions.
inline constexpr const char* simulated_wave_barrier = "sinter_simulated_wave_barrier";
/// The type of this function is uint64_t(bool).
inline constexpr const char* simulated_ballot = "sinter_simulated_ballot";
/// The type of this function is uint32_t(uint32_t bits, uint32_t source).
inline constexpr const char* simulated_shuffle = "sinter_simulated_shuffle";
/// void*(): the block's local memory.
inline constexpr const char* simulated_local_memory = "sinter_simulated_local_memory";

}  // namespace sinter::abi
