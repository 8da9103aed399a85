#pragma once
/// The device ABI (abi/device_abi.hpp) on NVIDIA GPUs: special registers, barriers and fences of the scope that is
/// asked for, sub-groups as warps, dynamic shared memory, failures that the host can read.
///
/// Output: of the functions of the device ABI only those of mathematics are left.

#include "kernel_entry.hpp"

namespace sinter::jit::nvptx {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned generic_space = 0, global_space = 1, shared_space = 3;

void lower_device_calls(llvm::Module& module, const geometry& where, std::uint64_t scratch_bytes_per_item);

}  // namespace sinter::jit::nvptx
