#pragma once
/// Counts the paths of computations that lead to a value. LLVM's sparse propagation (SCCP) follows each path again
/// whenever the range of the number at the path's beginning grows. Counters of loops over work-items have such growing
/// ranges. With thirty statements `x = x / a + x % b` in a row, SCCP needs a billion steps, so that a kernel of thirty
/// lines compiles for minutes.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

namespace sinter::passes {

/// Returns the largest number of paths that lead to an integer of the function. If the number does not fit, returns the
/// largest std::uint64_t.
std::uint64_t most_value_paths(const llvm::Function& function);

/// Makes LLVM skip sparse propagation in functions in which it would take too long.
void bound_propagation(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace sinter::passes
