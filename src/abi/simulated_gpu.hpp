#pragma once
/// Kernels for GPUs that tests simulate (jitd/targets/simulated): a shared object, and functions of the simulation that
/// it calls. Names are the same on both sides.

#include <cstdint>

namespace sinter::abi {

/// The names of these GPUs: the number of work-items of a sub-group follows, 32 or 64.
inline constexpr const char* simulated_gpu_prefix = "simulated-wave";

/// The variable of the shared object with facts about its one kernel, which is a function of two pointers: argument
/// block and grid_geometry.
inline constexpr const char* simulated_facts_symbol = "sinter_simulated_facts";
struct simulated_facts {
  std::uint64_t block_bytes, block_alignment, geometry_bytes;
  std::uint32_t block[3];  ///< work-items of a block, if all launches have the same; z, y, x; else zeros
  std::uint32_t meets;     ///< 1: its work-items meet, so they need stacks of their own
};

// Numbers of the calling work-item; each name is followed by ".x", ".y" or ".z".
inline constexpr const char* simulated_thread_id = "sinter_simulated_thread_id";
inline constexpr const char* simulated_block_id = "sinter_simulated_block_id";
/// Returns the work-item's number in its sub-group.
inline constexpr const char* simulated_lane = "sinter_simulated_lane";
/// void(): all work-items of the block that have not ended meet.
inline constexpr const char* simulated_block_barrier = "sinter_simulated_block_barrier";
/// void(): those work-items of the sub-group that come here meet; this also holds for the next two functions.
inline constexpr const char* simulated_wave_barrier = "sinter_simulated_wave_barrier";
/// uint64_t(bool)
inline constexpr const char* simulated_ballot = "sinter_simulated_ballot";
/// uint32_t(uint32_t bits, uint32_t source)
inline constexpr const char* simulated_shuffle = "sinter_simulated_shuffle";
/// void*(): the block's local memory.
inline constexpr const char* simulated_local_memory = "sinter_simulated_local_memory";

}  // namespace sinter::abi
