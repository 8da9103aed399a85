#pragma once
/// Counts the paths of computations that lead to a value. LLVM's sparse propagation (SCCP) goes along each of them
/// again whenever the range of a number at the beginning grows, as counters of loops over work-items do: thirty of `x =
/// x / a + x % b` in a row take it a billion steps, and a kernel of thirty lines compiles for minutes.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

namespace sinter::passes {

/// The largest number of paths that lead to an integer; numbers that do not fit count as the largest number.
std::uint64_t most_value_paths(const llvm::Function& function);

/// Leaves this pass out for functions for which it would take too long.
void bound_propagation(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace sinter::passes
