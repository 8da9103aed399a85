#pragma once
/// Device functions are recognised by their names until a target lowers their calls. This header has no source file,
/// because all folders use it.

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// The name of the called function. The result is empty if the value is no call, or if the called function is unknown.
inline llvm::StringRef called_name(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&value);
  return call && call->getCalledFunction() ? call->getCalledFunction()->getName() : llvm::StringRef();
}

inline llvm::SmallVector<llvm::CallInst*, 8> calls_of(llvm::Function& function, llvm::StringRef name) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && called_name(*call) == name) calls.push_back(call);
  }
  return calls;
}

inline bool is_barrier(const llvm::Instruction& instruction) {
  return called_name(instruction) == "__sinter_barrier";
}

}  // namespace sinter::passes
