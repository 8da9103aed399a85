#pragma once
/// Turns matrices of sub-groups (abi/matrix_abi.hpp) into cooperative matrices. This is for drivers with
/// SPV_KHR_cooperative_matrix whose devices have units that multiply such matrices. For the matrices and most
/// instructions, LLVM has functions whose names begin with __spirv_CooperativeMatrix, but it has none for the access to
/// one element. For this access, the code calls a function that does not exist, and place_elements() replaces these
/// calls in the finished module.

#include <abi/matrix_layout.hpp>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

/// Whether the type is that of a cooperative matrix.
bool is_matrix(const llvm::Type* type);

/// Input: a kernel in which all calls are inlined; its sub-groups have `sub_group_size` work-items.
/// Output: no call of a matrix function is left. Returns false, and leaves all calls, if the kernel has a matrix, a
/// product or a use of a matrix that the units lack. The products of such a kernel are computed by sub-groups without
/// matrix units (passes/device/matrices.hpp).
bool use_matrix_units(llvm::Function& kernel, unsigned sub_group_size, const abi::matrix_units& units);

/// In calls that load or store matrices or access elements, the function's name gets the address space, if casts show
/// it. If no cast shows the address space and `asks` is true, the kernel finds out at run time, by a call of the
/// driver, whether the space is global or local. Matrices are in no other memory.
void name_matrix_spaces(llvm::Function& entry, bool asks);

/// Changes pointers to matrices in memory into pointers to elements, because strides count elements. Also turns selects
/// of matrices into branches. No pass of LLVM may run behind this.
void finish_matrices(llvm::Function& function);

/// The prefix of the names of functions whose calls stand for an element of a matrix.
inline constexpr llvm::StringLiteral element_name = "sinter.matrix.element.";

/// Replaces calls for elements in a module in binary form by OpInBoundsAccessChain. Returns false if the module has a
/// call in a form that is not known.
bool place_elements(std::string& module);

}  // namespace sinter::jit::spirv
