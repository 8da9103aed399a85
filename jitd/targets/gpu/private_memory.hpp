#pragma once
/// Handles variables of work-items on GPUs where such variables have an address space of their own.
///
/// Most steps support only one kind of pointers. So, until name_private_memory() runs, such variables count as generic
/// memory. Before this call, the module does not name its target, because LLVM does not accept code with generic
/// private memory for the real target.

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::gpu {

/// Sets the target and layout that the module has while private memory is generic.
void set_generic_target(llvm::Module& module, const llvm::TargetMachine& machine);

/// Must run before libraries are linked, because the libraries' bitcode is read with the module's layout.
/// Output: the module has the target and layout of the machine. Private variables are in their own address space, and
/// code that uses them gets a generic pointer.
void name_private_memory(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace sinter::jit::gpu
