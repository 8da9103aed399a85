#pragma once
/// Skips passes that have nothing to do. LLVM's pipelines clean up behind each of their parts, even if the part has
/// changed nothing.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// A hash of the function's instructions and their operands, in the order of the instructions. Passes over loops add
/// and remove blocks, jumps and phis that do nothing; any other change is a change of an instruction, or of its
/// position, operands or flags.
std::uint64_t shape_of(const llvm::Function& function);

/// Adds `passes` and then `behind`, which runs only if `passes` have changed anything.
void add_where_changed(llvm::FunctionPassManager& to, llvm::FunctionPassManager&& passes,
                       llvm::FunctionPassManager&& behind);

/// Skips passes where they have already run in vain, and where they take long and never find anything.
void leave_out_repeated(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace sinter::jit
