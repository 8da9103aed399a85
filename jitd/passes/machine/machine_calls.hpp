#pragma once
/// Calls that represent machine instructions on numbers of 32 bits, until the lengths of vectors are known. All
/// compiled versions of a kernel then use the same instructions, so that results do not depend on where a row of
/// work-items ends. If a pass turns work-items into vectors, it replaces such a call by emit_machine_call. LLVM's loop
/// vectorizer replaces a call of a function of one number by a vector variant, which an attribute of the call names. At
/// the end, lower_machine_calls replaces all remaining calls.

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

enum class machine_function : unsigned {
  root_estimate,  ///< vrsqrt14ps: 14 bits of the reciprocal square root
  exponent,       ///< vgetexpps: the exponent of a number; -infinity for zeros, infinity for infinities
  mantissa,       ///< vgetmantps: x / 2^k, from 3/4 to 3/2; 1 for +0 and infinity, NaN for negative numbers
  bfloat_dot,     ///< vdpbf16ps: float sum + products of two bfloat16 in words; numbers below 2^-126 count as 0
  byte_dot,       ///< vpdpbusd: sum + products of four bytes in words, unsigned in one word and signed in the other
};

/// Whether the machine has the functions of one number, which AVX-512 provides. Other machines have less exact
/// estimates, and no instructions for exponent and mantissa.
bool has_machine_functions(const llvm::TargetMachine& machine);
/// Whether the machine has this function.
bool has_machine_function(const llvm::TargetMachine& machine, machine_function which);

llvm::CallInst* call_machine(llvm::IRBuilder<>& builder, machine_function which, llvm::ArrayRef<llvm::Value*> operands);
/// Returns nothing if the call is not one of these functions.
std::optional<machine_function> machine_function_of(const llvm::CallInst& call);
/// Emits the instructions for vectors of any length.
llvm::Value* emit_machine_call(llvm::IRBuilder<>& builder, machine_function which,
                               llvm::ArrayRef<llvm::Value*> vectors);
void lower_machine_calls(llvm::Module& module);

/// Emits the fence that non-temporal stores need before another thread may learn that they are done.
void emit_streaming_fence(llvm::IRBuilder<>& builder);

}  // namespace sinter::passes
