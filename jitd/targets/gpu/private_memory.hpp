#pragma once
/// Variables of a work-item, on GPUs where they have an address space of their own.
///
/// Most steps know pointers of one kind only, so the module says until name_private_memory() that such variables are in
/// generic memory, and leaves out its target, for which LLVM would refuse them.

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::gpu {

/// Target and layout of the module, as long as private memory is generic.
void set_generic_target(llvm::Module& module, const llvm::TargetMachine& machine);

/// Comes before libraries are linked, whose bitcode is read by the module's layout.
/// Output: target and layout are the machine's, variables are in their space, and what uses them gets a generic
/// pointer.
void name_private_memory(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace sinter::jit::gpu
