#pragma once
/// Runs kernels for simulated GPUs, block by block.

#include <abi/gpu_launch.hpp>
#include <abi/simulated_gpu.hpp>

#include <cstdint>
#include <string>

namespace judge {

inline constexpr unsigned most_items = 1024, most_local_bytes = 65536;

using kernel_function = void (*)(const void* block, const sinter::abi::grid_geometry* geometry);

struct kernel_launch {
  kernel_function function = nullptr;
  const sinter::abi::simulated_facts* facts = nullptr;
  unsigned wave = 64;
  std::uint32_t blocks[3], threads[3];  ///< x, y, z
  std::uint32_t local_bytes = 0;
  std::string block;  ///< bytes of the arguments
  sinter::abi::grid_geometry geometry{};
  bool together = false;  ///< all blocks have to run at the same time (a cooperative launch)
};

/// Runs the kernel. Returns false if a kernel accessed an address without memory, which ended the launch.
bool run(const kernel_launch& launch);

}  // namespace judge
