#pragma once
/// Implements the device ABI (abi/device_abi.hpp) by OpenCL's functions and SPIR-V: ids, barriers and fences of the
/// requested scope, sub-groups, local memory of the launch, and failures that the host can read.
///
/// Output: calls of mathematical functions are the only calls of the device ABI that are left.

#include "kernel_entry.hpp"

namespace sinter::jit::spirv {

/// Makes a call of a function of OpenCL, by its mangled name.
llvm::CallInst* call_builtin(llvm::Instruction& where, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> operands, bool is_pure);

/// `linear_groups` says that each group is launched as one row, so that sub-groups follow the linear local id.
/// `is_padded` says that the range is read from the geometry, because the driver's range is larger.
void lower_device_calls(llvm::Module& module, const kernel_entry& entry, const abi::local_range& local_range,
                        unsigned dimensions, unsigned sub_group_size, std::uint64_t scratch_bytes_per_item,
                        bool linear_groups, bool is_padded);

}  // namespace sinter::jit::spirv
