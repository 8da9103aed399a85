#pragma once
/// Reciprocal square roots from the machine's estimate, where the program asks for no more than 2 units in the last
/// place: where capture saw sycl::rsqrt (canonical_math.hpp), `1 / sqrt(x)` of floats carries !fpmath of 2.
///
/// estimate_reciprocal_roots makes of it an estimate of 14 bits, a call that stands for vrsqrt14ps, and one step of
/// Newton's method: at most 1.1 units off; zeros, infinities and denormal numbers give what the division gives. It
/// comes before there are vectors, so that all forms of a kernel compute the same, and results don't depend on where a
/// row of work-items ends. Vectors of work-items take emit_root_estimate for the call, LLVM's loop vectorizer the
/// variants that it names; lower_root_estimates, when all is optimised, leaves none of them.
///
/// Machines without vrsqrt14ps keep the division: estimates of 11 bits need two steps, and denormal numbers a case of
/// their own.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

bool has_root_estimate(const llvm::TargetMachine& machine);

void estimate_reciprocal_roots(llvm::Function& function);
bool is_root_estimate(const llvm::CallInst& call);
/// Of a vector of any length.
llvm::Value* emit_root_estimate(llvm::IRBuilder<>& builder, llvm::Value* vector);
void lower_root_estimates(llvm::Module& module);

} // namespace sinter::passes
