#pragma once
/// Tests run GPU code on simulated GPUs (jitd/targets/simulated). A kernel for such a GPU is a shared object that calls
/// functions of the simulation; this file has the names of these functions.

#include <cstdint>

namespace sinter::abi {

/// The names of simulated GPUs begin with this prefix. The number of work-items of a sub-group follows, 32 or 64.
/// A vendor may follow, whose library then computes mathematical functions. Otherwise the host's libm computes them.
inline constexpr const char* simulated_gpu_prefix = "simulated-wave";
inline constexpr const char* simulated_amd_math = "-amd-math";
inline constexpr const char* simulated_nvidia_math = "-nvidia-math";

/// The shared object has a variable of this name and of type simulated_facts, which describes its one kernel. The
/// kernel is a function with two parameters: pointers to the argument block and to a grid_geometry.
inline constexpr const char* simulated_facts_symbol = "sinter_simulated_facts";
struct simulated_facts {
  std::uint64_t block_bytes, block_alignment, geometry_bytes;
  std::uint32_t block[3];       ///< work-items of a block in z, y, x; zeros: any number
  std::uint32_t meets;          ///< 1: the kernel has barriers, so each work-item needs its own stack
  std::uint64_t private_bytes;  ///< all variables of a work-item together
};

// The beginnings of the names of functions that return the calling work-item's ids; ".x", ".y" or ".z" follows.
inline constexpr const char* simulated_thread_id = "sinter_simulated_thread_id";
inline constexpr const char* simulated_block_id = "sinter_simulated_block_id";
/// The function returns the work-item's number in its sub-group.
inline constexpr const char* simulated_lane = "sinter_simulated_lane";
/// The type of this function is void(). It is a barrier for all work-items of the block that have not ended.
inline constexpr const char* simulated_block_barrier = "sinter_simulated_block_barrier";
/// The type of this function is void(). It is a barrier for all work-items of the sub-group that call the function
/// together. The ballot and shuffle functions are such barriers, too.
inline constexpr const char* simulated_wave_barrier = "sinter_simulated_wave_barrier";
/// The type of this function is uint64_t(bool).
inline constexpr const char* simulated_ballot = "sinter_simulated_ballot";
/// The type of this function is uint32_t(uint32_t bits, uint32_t source).
inline constexpr const char* simulated_shuffle = "sinter_simulated_shuffle";
/// The type of this function is void*(). It returns the block's local memory.
inline constexpr const char* simulated_local_memory = "sinter_simulated_local_memory";

}  // namespace sinter::abi
