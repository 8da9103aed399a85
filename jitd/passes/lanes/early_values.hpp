#pragma once
/// Finds values of a kernel that may be computed before its work-items run (FACTS.md). It does not matter where in the
/// kernel the program computes such a value.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Whether an instruction may run early once its operands are known. The instruction must not trap, and must read
/// only readable memory. The instruction's result may be poison, for example if a sum overflows.
bool may_run_first(const llvm::Instruction& instruction);

/// Whether a value is computed only from constants and from these parameters of its function. The value must be
/// computed only by instructions for which may_run_first() is true.
bool is_known_early(const llvm::Value* value, llvm::ArrayRef<unsigned> parameters);

/// A function that runs before a kernel's work-items. The early function has some of the work-item function's
/// parameters.
class early_function {
public:
  /// Keeps references to `work_item` and `parameters`. The early function is inlined wherever it is called.
  early_function(llvm::Function& work_item, llvm::ArrayRef<unsigned> parameters, llvm::Type* result,
                 const llvm::Twine& name);

  llvm::IRBuilder<>& builder() { return m_builder; }

  /// Returns the early function's copy of the value, in a `freeze` instruction. Parameters need no `freeze`, because
  /// they are never poison.
  llvm::Value* value_of(llvm::Value* value) {
    llvm::Value* copied = copy(value);
    return llvm::isa<llvm::Argument, llvm::Constant>(copied) ? copied : m_builder.CreateFreeze(copied);
  }

  llvm::Function* finish(llvm::Value* result) {
    m_builder.CreateRet(result);
    return m_function;
  }

  /// Removes the early function. If the early function is not needed, call drop() instead of finish().
  void drop() { m_function->eraseFromParent(); }

private:
  llvm::Value* copy(llvm::Value* value);

  llvm::IRBuilder<> m_builder;
  llvm::Function* m_function;
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_copies;
};

/// Conditions that an early function computes. The function's result is the `and` of all conditions.
class early_conditions {
public:
  /// Keeps a reference to `builder`.
  explicit early_conditions(llvm::IRBuilder<>& builder) : m_builder(builder) {}

  void require(llvm::Value* condition) { m_all = m_all ? m_builder.CreateAnd(m_all, condition) : condition; }
  /// Whether no condition was added.
  bool empty() const { return !m_all; }
  llvm::Value* all() const { return m_all ? m_all : m_builder.getTrue(); }

private:
  llvm::IRBuilder<>& m_builder;
  llvm::Value* m_all = nullptr;
};

}  // namespace sinter::passes
