#pragma once
/// Finds private arrays that are accessed one element at a time. Each work-item has its own copy of such an array. The
/// copies of one element may be placed next to each other in memory, so that vectors load and store them together. An
/// example is `sum[k]`, if k is equal for all work-items.

#include <cstdint>
#include <functional>

#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Returns whether a value is equal for all work-items that run together.
using uniform_values = std::function<bool(const llvm::Value&)>;

/// Returns the size in bytes of an element of the array. Returns 0 if elements overlap, if they differ in size, or if
/// other code may access the array.
std::uint64_t element_bytes(const llvm::AllocaInst& array);

/// Whether work-items use equal indices at the same time. At least one of these indices must not be constant.
bool counts_elements_together(const llvm::AllocaInst& array, const uniform_values& is_uniform);

/// Changes all accesses of the array, so that they access memory at `place` instead. An element's distance from the
/// array's start is multiplied by `factor`, a 64-bit value. `place` and `factor` have to dominate all uses of the
/// array.
void spread_elements(llvm::AllocaInst& array, std::uint64_t element, llvm::Value* place, llvm::Value* factor);

}  // namespace sinter::passes
