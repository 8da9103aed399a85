#pragma once
/// Counts the paths of computations that lead to a value. LLVM's sparse propagation (SCCP) goes along each of them
/// again whenever the range of a number at the beginning grows, as counters of loops over work-items do: thirty of `x =
/// x / a + x % b` in a row take it a billion steps, and a kernel of thirty lines compiles for minutes.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

namespace sinter::passes {

/// The number of paths to the integer that has the most; larger numbers than fit count as the largest.
std::uint64_t most_value_paths(const llvm::Function& function);

/// Leaves that pass out for functions which it would not get done with.
void bound_propagation(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace sinter::passes
