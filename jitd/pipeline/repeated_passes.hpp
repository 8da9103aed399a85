#pragma once
/// LLVM's pipelines clean up behind each of their parts, whether that has changed anything or not.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// A hash of instructions and their operands, in their order. Passes over loops add and remove blocks, jumps and phis
/// that do nothing; any other change is in an instruction, place, operand or flag.
std::uint64_t shape_of(const llvm::Function& function);

/// Adds `passes`, and `behind`, which runs if `passes` have changed anything.
void add_where_changed(llvm::FunctionPassManager& to, llvm::FunctionPassManager&& passes,
                       llvm::FunctionPassManager&& behind);

/// Passes are left out where they have run in vain already, and where they take long and never find anything.
void leave_out_repeated(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace sinter::jit
