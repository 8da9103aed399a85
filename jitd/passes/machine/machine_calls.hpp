#pragma once
/// Calls that represent machine instructions on numbers of 32 bits, before it is known which vectors there are. All
/// forms of a kernel then compute the same, and results don't depend on where a row of work-items ends. Vectors of
/// work-items replace the call by emit_machine_call, LLVM's loop vectorizer by the variants that it names (for
/// functions of one number). At the end, lower_machine_calls replaces the remaining ones.

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

enum class machine_function : unsigned {
  root_estimate,  ///< vrsqrt14ps: reciprocal square root, 14 bits of it
  exponent,       ///< vgetexpps: the power of 2 that a number begins with; an infinity for zeros and infinities
  mantissa,       ///< vgetmantps: x / 2^k, from 3/4 to 3/2; of +0 and infinity 1, of negative numbers no number
  bfloat_dot,     ///< vdpbf16ps: float sum + products of two bfloat16 in words; what is below 2^-126 is 0
  byte_dot,       ///< vpdpbusd: sum + products of four bytes in words, unsigned in one word and signed in the other
};

/// Whether the machine has the functions of one number. These are AVX-512's. Other machines have less exact estimates,
/// and none of the other instructions.
bool has_machine_functions(const llvm::TargetMachine& machine);
/// Whether the machine has this function.
bool has_machine_function(const llvm::TargetMachine& machine, machine_function which);

llvm::CallInst* call_machine(llvm::IRBuilder<>& builder, machine_function which, llvm::ArrayRef<llvm::Value*> operands);
/// Nothing, for other calls.
std::optional<machine_function> machine_function_of(const llvm::CallInst& call);
/// Vectors may have any length.
llvm::Value* emit_machine_call(llvm::IRBuilder<>& builder, machine_function which,
                               llvm::ArrayRef<llvm::Value*> vectors);
void lower_machine_calls(llvm::Module& module);

/// The fence that non-temporal stores need before a store or instruction that tells other threads about them.
void emit_streaming_fence(llvm::IRBuilder<>& builder);

}  // namespace sinter::passes
