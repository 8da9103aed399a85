#pragma once
/// Scopes of `restrict`: accesses of different scopes do not meet, from the place where a scope is declared until it is
/// declared again. In a loop, each iteration has a scope of its own. LLVM sees that by the declaration in the loop
/// alone. Therefore scopes move together with their declaration, and copies of code get scopes of their own. An access
/// loses its scope if it no longer comes after the declaration.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Drops the scopes that loops declare for each iteration, in a kernel and in the functions it calls. LLVM 22 moves
/// loads out of such loops with their scopes, which then hold of all iterations (docs/llvm_defects.md). Work-items
/// share no scopes: loops over them come later.
void drop_scopes_in_loops(llvm::Function& kernel);

/// For copies that run beside the original blocks: a scope that is declared in a copied block becomes a new scope in
/// the copy.
void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> copies);

/// Drops the scopes whose accesses lie on both sides of a barrier. After a barrier, a pointer may lead to memory that
/// other work-items accessed through another pointer. And a loop around the barrier may be cut there, so that parts of
/// two iterations lie in one function.
void drop_scopes_across(llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> is_barrier);

}  // namespace sinter::passes
