#pragma once
/// Decides whether a * b + c is rounded once or twice.

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Turns llvm.fmuladd into an FMA if the machine has one for the type, else into a product and a sum. LLVM would decide
/// anew for each call: it rounds once when it folds constants, and twice when it adds products of vectors in order on
/// 64-bit Arm. So two versions of a kernel, or a fused kernel and its members, could differ in their last bits.
void settle_added_products(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
