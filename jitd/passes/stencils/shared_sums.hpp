#pragma once
/// Takes sums that both values of a select share out of it: `x > 0 ? y * n + x - 1 : y * n` becomes
/// `y * n + (x > 0 ? x - 1 : 0)`. Programs choose among flat indices, and each part of an index has to be that of one
/// dimension.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void share_sums(llvm::Function& kernel);

}  // namespace sinter::passes
