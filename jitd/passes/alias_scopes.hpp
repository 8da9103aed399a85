#pragma once
/// Scopes of `restrict`: accesses within one don't meet, from where it is declared until it is declared again. A loop
/// has one scope for each iteration, which LLVM knows by the declaration alone. So scopes move together with their
/// declaration, copies of code get scopes of their own, and an access that is no longer behind the declaration loses
/// its scope.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Drops the scopes that loops declare for each iteration, in a kernel and in the functions it calls. LLVM 22 moves
/// loads out of such loops with their scopes, which then hold of all iterations (docs/llvm_defects.md). Work-items
/// share no scopes: loops over them come later.
void drop_scopes_in_loops(llvm::Function& kernel);

/// Copies that run beside the blocks they were made of: scopes that are declared in them are theirs alone.
void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> copies);

/// Drops the scopes whose accesses lie on both sides of a barrier. Behind it, memory may be the same that other
/// work-items accessed through another pointer; and a loop around the barrier may be cut there, so that two iterations
/// meet in one piece.
void drop_scopes_across(llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> is_barrier);

}  // namespace sinter::passes
