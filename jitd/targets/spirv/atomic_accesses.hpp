#pragma once
/// Rewrites atomic accesses into forms that drivers accept.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Makes atomic accesses use the sizes that drivers support: integers of 32 and 64 bits.
void lower_atomics(llvm::Function& function);

/// Drivers accept atomics only on memory that is known to be global or local. So, for a generic pointer, the code tests
/// at run time whether the memory is global. The code tests whether the address is global, and not whether it is local:
/// drivers for CPUs answer yes to both questions, and their atomics on local memory are atomic only within one thread.
void split_generic_atomics(llvm::Function& function);

/// Turns atomic loads and stores into calls, because LLVM writes them as plain accesses, which drivers move out of
/// loops.
void name_atomic_accesses(llvm::Function& function);

}  // namespace sinter::jit::spirv
