#pragma once
/// How often a * b + c is rounded.

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// llvm.fmuladd becomes an FMA where the machine has one for the type, else a product and a sum. LLVM would choose
/// wherever it meets one: it rounds constants once, and products twice that it adds in order as vectors (64-bit Arm).
/// Then two forms of one kernel, or a fusion and its members, would differ in their last bits.
void settle_added_products(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
