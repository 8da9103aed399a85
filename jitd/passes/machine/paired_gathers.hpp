#pragma once
/// Joins gathers of two neighbouring elements (`table[i]` and `table[i + 1]`, as in interpolation) into one gather of
/// pairs, because a gather's time depends on the number of elements: 16 floats take as long as 16 pairs of floats.
/// Gathers whose elements turn out to be contiguous become loads of vectors. An example is a group's sum, in which the
/// addresses of the sub-groups' results are known only after loops are unrolled.
///
/// Input: code in which lanes are vectors, for a machine with gathers.
/// Output: two gathers of 16 or 32 bits in one block, with equal masks and without a write in between, become one
///   gather of twice the width, which reads the same bytes. Gathers stay separate if the index may wrap between the two
///   elements. For indices that come from floats, most_number (paired_gathers.cpp) computes an upper bound.

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

void pair_gathers(llvm::Function& function, const llvm::TargetTransformInfo& target);

}  // namespace sinter::passes
