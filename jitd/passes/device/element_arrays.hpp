#pragma once
/// Private arrays that are accessed one element at a time. What work-items have of one element may lie side by side
/// then, so that vectors of them load and store it whole: `sum[k]` for a k that all of them count.

#include <cstdint>
#include <functional>

#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Says of a value whether it is the same for all work-items that run together.
using uniform_values = std::function<bool(const llvm::Value&)>;

/// Bytes of the elements, all of which have one size; 0: somebody else may see the array, or elements overlap.
std::uint64_t element_bytes(const llvm::AllocaInst& array);

/// Whether work-items use the same element at the same time, though not always one that is known beforehand.
bool counts_elements_together(const llvm::AllocaInst& array, const uniform_values& is_uniform);

/// Accesses to it go to `place` instead, each as many times as far from there. `factor` has 64 bits; both are known
/// wherever the array is.
void spread_elements(llvm::AllocaInst& array, std::uint64_t element, llvm::Value* place, llvm::Value* factor);

}  // namespace sinter::passes
