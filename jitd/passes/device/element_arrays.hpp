#pragma once
/// Private arrays that are accessed one element at a time. One element of all work-items may then lie side by side, so
/// that vectors load and store it completely: `sum[k]`, if k has the same value for all of them.

#include <cstdint>
#include <functional>

#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Answers whether a value is the same for all work-items that run together.
using uniform_values = std::function<bool(const llvm::Value&)>;

/// Bytes of the elements, which all have one size; 0: other code may see the array, or elements overlap.
std::uint64_t element_bytes(const llvm::AllocaInst& array);

/// Whether work-items use the same element at the same time, but not always an element that is known beforehand.
bool counts_elements_together(const llvm::AllocaInst& array, const uniform_values& is_uniform);

/// Redirects accesses to `place`, with distances multiplied by `factor`. `factor` has 64 bits; both are known wherever
/// the array is.
void spread_elements(llvm::AllocaInst& array, std::uint64_t element, llvm::Value* place, llvm::Value* factor);

}  // namespace sinter::passes
