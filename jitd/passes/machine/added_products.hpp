#pragma once
/// Decides whether a * b + c is rounded once or twice.

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Turns llvm.fmuladd into an FMA if the machine has one for the type, else into a product and a sum. LLVM would decide
/// for each call: it rounds once when it folds constants, and twice when it adds products of vectors in order (64-bit
/// Arm). Then two forms of one kernel, or a fused kernel and its members, would differ in their last bits.
void settle_added_products(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
