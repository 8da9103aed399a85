#pragma once
/// Integers and addresses of a kernel as forms (access_form.hpp), seen from one place in it.
///
/// The place decides what is known: conditions on the way to it hold, loops around it have counters. Where a value is
/// one of two (a select, a minimum), the caller decides for each in turn, and the decision adds a condition of its own.

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "access_form.hpp"
#include "fusion_metadata.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

using form = std::optional<affine_form>;

class value_forms {
public:
  /// Numbers that forms rest on are noted in the summary.
  value_forms(llvm::Function& kernel, const fusion_range& range, std::string_view block, access_summary& summary);

  /// One of two values: which one is decided outside.
  using choice = std::pair<llvm::Value*, unsigned>;

  /// Looks from the instruction on.
  void stand_at(const llvm::Instruction& place, const std::vector<choice>& choices);
  /// Of the place: what holds there, whether that is all it takes to get there, and the turns of the loops around it.
  const std::vector<affine_form>& guards() const { return m_guards; }
  bool exact() const { return m_exact; }
  bool never() const { return m_never; }
  const std::array<std::uint64_t, loop_depth>& turns() const { return m_turns; }

  /// Bytes between the base pointer and the address; sets `base` when there is exactly one.
  form address(llvm::Value* address, llvm::Value*& base, unsigned depth = 0);
  /// The first value since stand_at that needs a decision; null: none.
  llvm::Value* undecided() const { return m_undecided; }

  /// Offset of a leaf in the argument block, when `base` is loaded from there.
  std::optional<unsigned> block_offset(const llvm::Value* base) const;

private:
  struct bounds {
    __int128 first = 0, last = 0;
  };
  struct counted_loop {
    std::uint64_t turns;  ///< of what stands behind the test
    bool tested_first;    ///< the header runs once more
  };

  bounds bounds_of_variable(unsigned variable) const;
  bounds bounds_of(const affine_form& a) const;
  form in_range(const form& a, unsigned bits, bool is_signed) const;
  form fits_somehow(const form& a, unsigned bits) const;
  bool comparable(const affine_form& a, const affine_form& b, unsigned bits, bool is_signed) const;

  form value(llvm::Value* value, unsigned depth);
  form compute(llvm::Value* value, unsigned depth);
  form compute_instruction(llvm::Instruction& instruction, unsigned depth);
  form call(llvm::CallInst& call, unsigned depth);
  form query(llvm::StringRef name, unsigned dimension);
  form block_number(llvm::LoadInst& load);
  form counter(llvm::PHINode& phi, unsigned depth);
  std::optional<unsigned> decision(llvm::Value& value);

  void count_turns(const llvm::BasicBlock* block);
  std::optional<counted_loop> count(llvm::Loop& loop);
  void collect_conditions(const llvm::BasicBlock* block);
  void add_step(const llvm::BasicBlock* at, const llvm::BasicBlock* above);
  bool add_condition(llvm::Value* condition, bool holds, unsigned depth = 0);
  bool add_comparison(const llvm::ICmpInst& comparison, bool holds);
  bool add_decision(const choice& decided);
  bool at_least(const form& a, std::int64_t least);

  const llvm::DataLayout& m_layout;
  const llvm::Value* m_arguments;
  const fusion_range& m_range;
  std::string_view m_block;
  access_summary& m_summary;
  llvm::DominatorTree m_tree;
  llvm::LoopInfo m_loops;
  llvm::PostDominatorTree m_post_tree;
  bool m_irreducible;  ///< loops that LoopInfo doesn't know

  // Of the place.
  llvm::DenseMap<llvm::Value*, form> m_forms;
  std::vector<choice> m_choices;
  llvm::Value* m_undecided = nullptr;
  std::vector<affine_form> m_guards;
  std::array<std::uint64_t, loop_depth> m_turns{1, 1, 1};
  std::array<const llvm::Loop*, loop_depth> m_around{};  ///< counted loops around the place
  bool m_exact = true, m_never = false;
};

}  // namespace sinter::passes
