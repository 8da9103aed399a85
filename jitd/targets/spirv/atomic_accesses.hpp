#pragma once
/// Atomic accesses in the forms that drivers take.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Uses the sizes that drivers support: integers of 32 and 64 bits.
void lower_atomics(llvm::Function& function);

/// Drivers take atomics of memory that is known to be global or local. "Is it global" is the question, never "is it
/// local": drivers for CPUs say yes to both, and their atomics of local memory hold within one thread only.
void split_generic_atomics(llvm::Function& function);

/// LLVM writes atomic loads and stores as plain ones, which drivers move out of loops.
void name_atomic_accesses(llvm::Function& function);

}  // namespace sinter::jit::spirv
