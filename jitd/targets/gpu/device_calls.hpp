#pragma once
/// The device ABI (abi/device_abi.hpp) on GPUs: ids, barriers and fences of the scope that is asked for, exchanges in
/// sub-groups, memory of the group, failures that the host can read.
///
/// Output: calls of the device ABI are left for mathematics only.

#include "kernel_entry.hpp"

namespace sinter::jit::gpu {

void lower_device_calls(const dialect& words, llvm::Module& module, const geometry& where, unsigned sub_group_size,
                        std::uint64_t scratch_bytes_per_item);

}  // namespace sinter::jit::gpu
