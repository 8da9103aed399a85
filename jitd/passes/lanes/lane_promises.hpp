#pragma once
/// A promise states how a number differs between the lanes of a vector, if this can't be seen from the number's
/// computation. The promise is a call that returns its argument, the number. The fact stays true if LLVM changes the
/// computation of the argument.

#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

enum class lane_promise {
  none,
  counts_up,  ///< the number grows by one from lane to lane, and does not wrap as an unsigned number
  same,       ///< the number is equal in all lanes
};

/// Inserts a call that states `promise` about `value`, and returns its result.
llvm::Value* say(llvm::IRBuilderBase& builder, lane_promise promise, llvm::Value* value);

bool is_lane_promise(const llvm::Instruction& instruction);

/// The promise that a call makes about the value, or none.
lane_promise promised_of(const llvm::Value& value);

/// Removes the promises. Call it when no more wide forms will be made.
void forget_lane_promises(llvm::Module& module);

}  // namespace sinter::passes
