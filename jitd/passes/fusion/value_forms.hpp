#pragma once
/// Computes integers and addresses of a kernel as affine forms (access_form.hpp), which are valid at one place in the
/// kernel.
///
/// The place decides which facts hold: conditions on the way to the place, and counters of the loops around the place.
/// If a value is one of two alternatives (a select, a phi of branches, a minimum), the caller tries both alternatives;
/// each choice adds a condition. Forms can name only ids and loop variables. So each other unknown number is
/// represented by a loop variable that no loop uses. Such numbers are quotients between two bounds, and values of which
/// only the bounds are known.

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "access_form.hpp"
#include "form_arithmetic.hpp"
#include "fusion_metadata.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

class value_forms {
public:
  /// `summary` gets a list of the launch's arguments on which the forms depend.
  value_forms(llvm::Function& kernel, const fusion_range& range, std::string_view block, unsigned sub_group_size,
              access_summary& summary);

  /// A value with two alternatives, and the number of the chosen alternative.
  using choice = std::pair<llvm::Value*, unsigned>;

  /// Makes the instruction the place for which the forms are computed.
  void stand_at(const llvm::Instruction& place, const std::vector<choice>& choices);
  /// Facts about the place: conditions that hold at the place, whether these conditions suffice to reach the place, and
  /// the numbers of iterations of the loops around the place.
  const std::vector<affine_form>& guards() const { return m_guards; }
  bool exact() const { return m_exact; }
  bool never() const { return m_never; }
  const std::array<std::uint64_t, loop_depth>& turns() const { return m_turns; }

  /// Returns the bytes between the base pointer and the address. Sets `base` if there is exactly one base pointer.
  form address(llvm::Value* address, llvm::Value*& base, unsigned depth = 0);
  /// The first value since the call of stand_at for which the caller has to choose one of two alternatives. Null if
  /// there is no such value.
  llvm::Value* undecided() const { return m_undecided; }

  /// The offset of a leaf in the argument block, if `base` is loaded from this leaf.
  std::optional<unsigned> block_offset(const llvm::Value* base) const;

private:
  struct bounds {
    __int128 first = 0, last = 0;
  };
  /// A phi of a loop's header that grows by the same step in each iteration.
  struct loop_counter {
    affine_form start;
    std::int64_t step;
    unsigned slot;
    llvm::Value* base;             ///< for pointers: the pointer to which the offset is added
    bool keeps_sign, keeps_carry;  ///< whether the counter never overflows as a signed or an unsigned number
    affine_form in_turn() const;
  };
  /// Facts about a loop, under the assumption of at most a certain number of iterations.
  struct loop_view {
    std::int64_t turns = 0;  ///< how many iterations may reach the place
    bool is_exact = true;
    /// Whether all counters are found. If not, more phis may turn out to be counters if fewer iterations are assumed.
    bool is_complete = true;
    std::vector<affine_form> guards{};
    std::vector<const llvm::BasicBlock*> tested{};
  };
  struct quotient_form {
    affine_form rest;
    std::int64_t divisor;
    affine_form result;
  };

  bounds bounds_of_variable(unsigned variable) const;
  bounds bounds_of_variables(const affine_form& a) const;
  bounds bounds_of(const affine_form& a) const;
  form in_range(const form& a, unsigned bits, bool is_signed) const;
  form fits_somehow(const form& a, unsigned bits) const;
  bool comparable(const affine_form& a, const affine_form& b, unsigned bits, bool is_signed) const;

  form value(llvm::Value* value, unsigned depth);
  form compute(llvm::Value* value, unsigned depth);
  form compute_instruction(llvm::Instruction& instruction, unsigned depth);
  form condition(llvm::Instruction& widened, std::int64_t when_true);
  form call(llvm::CallInst& call, unsigned depth);
  form query(llvm::StringRef name, unsigned dimension);
  const llvm::BranchInst* deciding_branch(const llvm::PHINode& phi, unsigned (&successors)[2]) const;
  form joined(llvm::PHINode& phi, unsigned depth);
  form linear_local_id();
  form sub_group_query(llvm::CallInst& call);
  form block_number(llvm::LoadInst& load);
  form by_groups(const affine_form& a, std::int64_t divisor) const;
  form quotient(const form& number_to_divide, std::int64_t divisor);
  form remainder(const form& a, std::int64_t divisor);
  form anything(llvm::Value& value, std::int64_t least, std::int64_t most);
  form spare_turns(__int128 first, __int128 last);
  std::optional<unsigned> decision(llvm::Value& value);

  // The following functions handle loops; loop_forms.cpp defines them.
  form counter(llvm::PHINode& phi);
  void enter(llvm::Loop& loop, const llvm::BasicBlock* place);
  loop_view look_at(llvm::Loop& loop, const llvm::BasicBlock* place, std::int64_t most);
  bool find_counters(llvm::Loop& loop, std::int64_t most);
  bool find_recomputed(llvm::Loop& loop, std::vector<llvm::PHINode*>& phis);
  bool is_same_base(const llvm::Value* a, const llvm::Value* b) const;
  bool may_vary(const llvm::Value& value, const llvm::Loop& loop, unsigned depth = 0) const;
  bool add_tests(llvm::Value* condition, bool stays, llvm::Loop& loop, std::vector<affine_form>& tests,
                 unsigned depth = 0);
  form test_of_counter(llvm::Value* moving, llvm::Value* end, llvm::CmpInst::Predicate stays, llvm::Loop& loop);
  bool add_tests_of_forms(const llvm::ICmpInst& comparison, llvm::CmpInst::Predicate stays,
                          std::vector<affine_form>& tests);

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
  std::int64_t m_sub_group_size;  ///< 0 if unknown
  access_summary& m_summary;
  llvm::DominatorTree m_tree;
  llvm::LoopInfo m_loops;
  llvm::PostDominatorTree m_post_tree;
  bool m_irreducible;  ///< whether the kernel has irreducible control flow, which LoopInfo does not describe

  /// For each loop, a limit on the number of iterations that was assumed at another place and proved right there.
  llvm::DenseMap<const llvm::Loop*, std::int64_t> m_assumed;

  // The following members hold the state for one place.
  llvm::DenseMap<llvm::Value*, form> m_forms;
  std::vector<choice> m_choices;
  llvm::Value* m_undecided = nullptr;
  std::vector<affine_form> m_guards;
  std::array<std::uint64_t, loop_depth> m_turns{1, 1, 1};
  unsigned m_next_slot = 0;                                       ///< the first free element of m_turns
  llvm::DenseMap<const llvm::PHINode*, loop_counter> m_counters;  ///< counters of the loops around the place
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> m_tested;         ///< exiting blocks whose conditions are guards
  std::vector<quotient_form> m_quotients;
  llvm::DenseMap<llvm::Value*, affine_form> m_bounded;
  bool m_exact = true, m_never = false;
  /// The loop that enter() examines now. Facts found in this loop have to hold in all of its iterations.
  const llvm::Loop* m_entered = nullptr;
  bool m_is_used = true;                  ///< whether all paths to the place use the value that is computed now
  bool m_addresses = false;               ///< whether the value that is computed now is part of an address
};

}  // namespace sinter::passes
