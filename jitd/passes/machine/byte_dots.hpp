#pragma once
/// Computes sums of products of bytes (passes/byte_products.hpp) by the machine's instructions for words of bytes:
/// vpdpbusd, sdot and udot, or pmaddwd, which multiplies pairs of 16 bits. Without them, each product takes two shifts
/// and a slow multiplication in lanes of 32 bits.
///
/// Input: code in which lanes are vectors, after LLVM's own passes.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Returns whether the function had sums of products of bytes.
bool dot_bytes(llvm::Function& function, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
