#pragma once
/// What may be computed before anything else that a kernel does, wherever it was written (FACTS.md).

#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Whether an instruction may run there, given its operands: it neither traps nor reads what may not be readable. It
/// may be poison: shifts by too much, sums that overflow.
bool may_run_first(const llvm::Instruction& instruction);

}  // namespace sinter::passes
