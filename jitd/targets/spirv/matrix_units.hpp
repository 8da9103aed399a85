#pragma once
/// Makes matrices of sub-groups (abi/matrix_abi.hpp) cooperative matrices, for drivers with SPV_KHR_cooperative_matrix
/// whose devices have units that multiply these matrices. For the matrices and most instructions, LLVM has functions
/// whose names begin with __spirv_CooperativeMatrix, but it has none for the access to one element. For this access,
/// the code calls a function that does not exist, and place_elements() replaces these calls in the finished module.

#include <abi/matrix_layout.hpp>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

/// Whether the type is that of a cooperative matrix.
bool is_matrix(const llvm::Type* type);

/// Input: a kernel in which all calls are inlined; its sub-groups have `sub_group_size` work-items.
/// Output: no call of a matrix function is left. Returns false, and leaves all calls, if the kernel has a matrix, a
/// product or a use of a matrix that the units lack. Such kernels multiply by sub-groups (passes/device/matrices.hpp).
bool use_matrix_units(llvm::Function& kernel, unsigned sub_group_size, const abi::matrix_units& units);

/// Makes loads, stores and elements of matrices name their address space, if casts show it. With `asks`, the kernel
/// asks the driver for spaces that casts don't show. They are global or local, because matrices are in no other memory.
void name_matrix_spaces(llvm::Function& entry, bool asks);

/// Gives pointers to matrices in memory the type of the elements, because strides count in elements, and turns selects
/// of matrices into branches. No pass of LLVM may run behind this.
void finish_matrices(llvm::Function& function);

/// The prefix of the names of functions whose calls stand for an element of a matrix.
inline constexpr llvm::StringLiteral element_name = "sinter.matrix.element.";

/// Replaces calls for elements in a module in binary form by OpInBoundsAccessChain. Returns false if the module has a
/// call in a form that is not known.
bool place_elements(std::string& module);

}  // namespace sinter::jit::spirv
