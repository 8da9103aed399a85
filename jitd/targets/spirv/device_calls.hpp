#pragma once
/// The device ABI (abi/device_abi.hpp) in the words of OpenCL's SPIR-V: built-in variables, barriers and fences of the
/// scope that is asked for, sub-groups, local memory of the launch, failures that the host can read.
///
/// Output: calls of the device ABI are left for mathematics only.

#include "kernel_entry.hpp"

namespace sinter::jit::spirv {

/// A call of a function that OpenCL knows, by its mangled name.
llvm::CallInst* call_builtin(llvm::Instruction& where, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> operands, bool is_pure);

/// `linear_groups`: groups are launched as one row each, so that sub-groups follow the linear local id.
/// `is_padded`: the launch's range is that of the geometry, and not the driver's.
void lower_device_calls(llvm::Module& module, const kernel_entry& entry, const abi::local_range& local_range,
                        unsigned dimensions, unsigned sub_group_size, std::uint64_t scratch_bytes_per_item,
                        bool linear_groups, bool is_padded);

}  // namespace sinter::jit::spirv
