#pragma once
/// Inlines functions into the kernel if they query a work-item's position, use local memory or contain a barrier. Later
/// passes then see these calls in one function. Functions with large private arrays are inlined, too
/// (kernel_memory.hpp). Refuses recursion through such functions. Afterwards no scope of `restrict` is declared in a
/// loop (alias_scopes.hpp).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

/// With `with_traps`, functions that may fail are inlined, too, for targets where a failing work-item returns from the
/// kernel.
llvm::Error inline_device_calls(llvm::Function& kernel, bool with_traps = false);

/// Inlines calls of all other functions with a body, level by level, until the kernel has about `most_instructions`
/// instructions. Passes that have to see each access need this. Calls of recursive functions and of unoptimised
/// functions stay.
void inline_all_calls(llvm::Function& kernel, std::size_t most_instructions);

} // namespace sinter::passes
