#pragma once
/// If both values of a select contain the same summands, moves these summands out of the select: `x > 0 ? y * n + x - 1
/// : y * n` becomes `y * n + (x > 0 ? x - 1 : 0)`. Programs select between flat indices, but in the analysis, each part
/// of an index must belong to one dimension.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void share_sums(llvm::Function& kernel);

}  // namespace sinter::passes
