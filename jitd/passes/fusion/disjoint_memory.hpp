#pragma once
/// Tells LLVM which arguments of a kernel lie in different allocations. The kernel is fused, or it is a single kernel
/// for a GPU.
///
/// Input: the loads of the kernel's pointer arguments. In a fused kernel, equal arguments are merged
/// (fused_arguments.hpp). Each load has the number of the allocation that the pointer points into. Pointers with equal
/// numbers may overlap. 0 means that the allocation is unknown.
/// Output: loads and stores through these pointers carry alias scopes, one per allocation. Without scopes, a value that
/// one member stores and a later member reads could not stay in a register.

#include <vector>

#include "llvm/IR/Instructions.h"

namespace sinter::passes {

struct argument_space {
  const llvm::LoadInst* pointer;  ///< may be null
  unsigned space;
};

void mark_disjoint_memory(llvm::Function& fused, const std::vector<argument_space>& arguments);

} // namespace sinter::passes
