#pragma once
/// Counts the paths of computations that lead to a value. LLVM's sparse propagation (SCCP) follows each path
/// again whenever the range of a number at its beginning grows. Counters of loops over work-items do so: thirty of `x =
/// x / a + x % b` in a row take it a billion steps, and a kernel of thirty lines compiles for minutes.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

namespace sinter::passes {

/// Returns the largest number of paths that lead to an integer of the function, or the largest std::uint64_t if it does
/// not fit.
std::uint64_t most_value_paths(const llvm::Function& function);

/// Makes LLVM skip sparse propagation for functions for which it would take too long.
void bound_propagation(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace sinter::passes
