#pragma once
/// Finds bounds of an integer from the bounds of its operands. Branch conditions are not used.

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Value.h"

namespace sinter::passes {

class value_bounds {
public:
  llvm::ConstantRange of(llvm::Value& value) { return of(value, 0); }

private:
  llvm::ConstantRange of(llvm::Value& value, unsigned depth);
  llvm::ConstantRange of_operands(llvm::Instruction& instruction, unsigned depth);

  llvm::DenseMap<llvm::Value*, llvm::ConstantRange> m_known;
};

}  // namespace sinter::passes
