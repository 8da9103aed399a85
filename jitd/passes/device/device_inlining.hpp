#pragma once
/// Inlines every function that asks for a work-item's position, local memory or a barrier into the kernel, so that the
/// passes behind see these calls in one function, and every one with large private arrays (kernel_memory.hpp). Refuses
/// recursion through such functions. Behind it, no scope of `restrict` is declared in a loop (alias_scopes.hpp).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

/// `with_traps`: functions that may fail are inlined, too, for targets where a failing work-item returns from the
/// kernel.
llvm::Error inline_device_calls(llvm::Function& kernel, bool with_traps = false);

/// Inlines calls of all other functions whose code is there, level by level, until the kernel has about so many
/// instructions: for those who have to see each access. Recursive functions and unoptimised ones stay calls.
void inline_all_calls(llvm::Function& kernel, std::size_t most_instructions);

} // namespace sinter::passes
