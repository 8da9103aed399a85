#pragma once
/// Handles the alias scopes that LLVM makes from `restrict`. Accesses of different scopes do not touch the same memory.
/// This promise holds only from one declaration of a scope (llvm.experimental.noalias.scope.decl) to the next
/// declaration of the scope. If the declaration is in a loop, the promise holds only within one iteration. Therefore, a
/// scope moves together with its declaration, copies of code get scopes of their own, and an access loses its scope if
/// the access no longer comes after the declaration.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Drops the scopes that loops declare for each iteration, in a kernel and in the functions that it calls. LLVM 22
/// moves loads out of such loops, but keeps the loads' scopes. Such a scope should hold only for one iteration, but
/// LLVM then applies it to all iterations (docs/llvm_defects.md). Loops over work-items are made later, so they are not
/// affected.
void drop_scopes_in_loops(llvm::Function& kernel);

/// Gives copied blocks scopes of their own. This is needed if the original blocks run as well. If a copied block
/// declares a scope, this scope becomes a new scope in the copy.
void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> copies);

/// Drops the scopes whose accesses lie on both sides of a barrier. After a barrier, a pointer may lead to memory that
/// other work-items accessed through another pointer. Besides, cutting a loop at the barrier may put parts of two
/// iterations into one function.
void drop_scopes_across(llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> is_barrier);

}  // namespace sinter::passes
