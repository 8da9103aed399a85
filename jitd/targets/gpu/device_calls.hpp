#pragma once
/// Implements the device ABI (abi/device_abi.hpp) on GPUs: ids, barriers and fences of the requested scope, exchanges
/// in sub-groups, memory of the group, and failures that the host can read.
///
/// Output: the only calls of the device ABI that are left are those of mathematics.

#include "kernel_entry.hpp"

namespace sinter::jit::gpu {

void lower_device_calls(const dialect& words, llvm::Module& module, const geometry& where, unsigned sub_group_size,
                        std::uint64_t scratch_bytes_per_item);

}  // namespace sinter::jit::gpu
