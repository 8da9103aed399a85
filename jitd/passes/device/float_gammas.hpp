#pragma once
/// Replaces calls of tgamma and lgamma for floats with inline code that computes in doubles, because libm has no
/// versions of these functions for vectors. The emitted code calls logarithms and exponentials of doubles. These
/// functions also exist for vectors. Results of tgamma are at most 0.51 ulp off. Results of lgamma are at most 1.3 ulp
/// off beside the roots 1 and 2, and at most 0.6 ulp off elsewhere. At these roots, the results of lgamma are zero.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made.
/// Output: the kernel without calls of tgamma or lgamma for floats.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void expand_float_gammas(llvm::Function& kernel);

}  // namespace sinter::passes
