#pragma once
/// Scopes of `restrict`: accesses within one don't meet, from where it is declared until it is declared again. A loop
/// has one for each iteration, which LLVM knows by the declaration alone: scopes go where their declaration goes,
/// copies of code get scopes of their own, and what the declaration does not cover any more has none.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Drops the scopes that loops declare for each iteration, in a kernel and in what it calls. LLVM 22 moves loads out of
/// such loops with their scopes, which then hold of all iterations (docs/llvm_defects.md). Work-items have none in
/// common: loops over them come later.
void drop_scopes_in_loops(llvm::Function& kernel);

/// Copies that run beside the blocks they were made of: scopes that are declared in them are theirs alone.
void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> copies);

/// Drops the scopes whose accesses lie on both sides of a barrier: behind it, memory may be what other work-items
/// reached by another pointer, and a loop around the barrier may be cut there, so that two iterations meet in one
/// piece.
void drop_scopes_across(llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> is_barrier);

}  // namespace sinter::passes
