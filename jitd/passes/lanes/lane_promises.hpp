#pragma once
/// Promises about a number in all lanes of a vector which its computation does not show. The promise is a call
/// that returns its argument. It holds for this argument, whatever LLVM makes of it, and for nothing else.

#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

enum class lane_promise {
  none,
  counts_up,  ///< by one from lane to lane, and does not wrap as an unsigned number
  same,       ///< in all lanes
};

/// Calls the function that promises `promise` about `value`.
llvm::Value* say(llvm::IRBuilderBase& builder, lane_promise promise, llvm::Value* value);

bool is_lane_promise(const llvm::Instruction& instruction);

/// The promises about a value in any of its users.
lane_promise promised_of(const llvm::Value& value);

/// Removes the promises, when no more wide forms will be made.
void forget_lane_promises(llvm::Module& module);

}  // namespace sinter::passes
