#pragma once
/// Moves sums that both values of a select share out of the select: `x > 0 ? y * n + x - 1 : y * n` becomes `y * n + (x
/// > 0 ? x - 1 : 0)`. Programs choose among flat indices, but the analysis needs each part of an index to belong to one
/// dimension.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void share_sums(llvm::Function& kernel);

}  // namespace sinter::passes
