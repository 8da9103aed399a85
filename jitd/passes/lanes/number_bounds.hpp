#pragma once
/// Finds bounds of an integer from values that are known before a launch: ranges and arguments.
///
/// All 32-bit integers are treated as signed; for unsigned integers, the bounds are then right modulo 2^32. Wider
/// integers have bounds only if they are converted to 32 bits.

#include <cstdint>
#include <optional>

#include "early_values.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::passes {

/// The parameters on which bounds depend: the argument block, and the launch's global range, offset and local range.
llvm::ArrayRef<unsigned> bounds_parameters();

/// The inclusive bounds of a number. Both bounds are 64-bit values that the early function (early_values.hpp) computes.
struct number_bounds {
  llvm::Value *low, *high;
};

class bounds_finder {
public:
  /// Keeps references to all arguments. `known` lists those parameters of `function` whose numbers count as known.
  bounds_finder(llvm::Function& work_item, const llvm::DominatorTree& dominators, early_function& function,
                llvm::ArrayRef<unsigned> known = bounds_parameters());

  /// Bounds of an instruction's or argument's value in block `place`, where all conditions that lead to `place` hold.
  /// Returns nothing if the bounds are unknown.
  std::optional<number_bounds> at(llvm::Value* value, const llvm::BasicBlock* place);

  /// Sets the bounds of a value that varies with the work-item, without looking at its operands.
  void set(llvm::Value* value, const number_bounds& bounds) { m_given.try_emplace(value, bounds); }
  bool is_given(const llvm::Value* value) const { return m_given.contains(value); }

  /// Bounds of the exact result of an addition, subtraction, multiplication or shift by a constant. If the bounds
  /// exceed 32 bits, the operation may wrap.
  std::optional<number_bounds> unwrapped(llvm::Instruction& arithmetic, const llvm::BasicBlock* place);

  /// A value of the early function that says whether the bounds fit 32 bits.
  llvm::Value* fits(const number_bounds& bounds);

  /// A value of the early function that says whether all assumptions about wide integers hold. Bounds are valid only if
  /// this value is true.
  llvm::Value* holds() const { return m_conditions.all(); }
  /// The builder of the early function.
  llvm::IRBuilder<>& builder() { return m_builder; }

private:
  struct known_comparison {
    llvm::ICmpInst* comparison;
    bool truth;
  };
  using known_list = llvm::SmallVector<known_comparison, 4>;

  std::optional<number_bounds> find(llvm::Value* value, const llvm::BasicBlock* place);
  std::optional<number_bounds> of_argument(const llvm::Argument& argument);
  std::optional<number_bounds> of_instruction(llvm::Instruction& instruction, const llvm::BasicBlock* place);
  std::optional<number_bounds> of_counter(llvm::PHINode& phi);
  std::optional<number_bounds> of_phi(llvm::PHINode& phi);
  std::optional<number_bounds> of_cast(llvm::CastInst& cast, const llvm::BasicBlock* place);
  std::optional<number_bounds> of_choice(const llvm::MinMaxIntrinsic& choice, const llvm::BasicBlock* place);
  std::optional<number_bounds> of_division(llvm::Instruction& division, const llvm::BasicBlock* place);
  void narrow(llvm::Value* value, const known_comparison& known, std::optional<number_bounds>& bounds);
  void narrow_below(const llvm::Value& value, const number_bounds& other, bool equal,
                    std::optional<number_bounds>& bounds);
  void narrow_shifted(llvm::Value* value, const known_comparison& known, std::optional<number_bounds>& bounds);

  const known_list& known_at(const llvm::BasicBlock* place);
  known_list known_at_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  static void add_known(llvm::Value* condition, bool truth, known_list& list);

  llvm::Value* number(std::int64_t value) { return m_builder.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value* least(llvm::Value* a, llvm::Value* b);
  llvm::Value* most(llvm::Value* a, llvm::Value* b);
  llvm::Value* is_positive(const number_bounds& bounds, std::int64_t from = 0);
  number_bounds join(const number_bounds& a, const number_bounds& b) {
    return {least(a.low, b.low), most(a.high, b.high)};
  }
  /// Turns bounds that are right only if the condition holds into bounds that are always right. If the condition does
  /// not hold, 32-bit numbers may have any value, and wider numbers have no bounds.
  number_bounds settle(const llvm::Type& type, llvm::Value* condition, const number_bounds& bounds);

  llvm::Function& m_work_item;
  const llvm::DominatorTree& m_dominators;
  early_function& m_function;
  llvm::ArrayRef<unsigned> m_parameters;
  llvm::IRBuilder<>& m_builder;
  early_conditions m_conditions;
  unsigned m_steps = 0;
  llvm::DenseMap<const llvm::Value*, number_bounds> m_given;
  llvm::DenseMap<std::pair<llvm::Value*, const llvm::BasicBlock*>, std::optional<number_bounds>> m_found;
  llvm::DenseSet<std::pair<llvm::Value*, const llvm::BasicBlock*>> m_open;
  llvm::DenseMap<const llvm::BasicBlock*, known_list> m_known;
};

}  // namespace sinter::passes
