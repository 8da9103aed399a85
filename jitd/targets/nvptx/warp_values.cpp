#include "warp_values.hpp"

#include <algorithm>

#include "nvptx_target.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/Local.h"
#include "targets/gpu/thread_values.hpp"

namespace sinter::jit::nvptx {
namespace {

/// A shuffle in which the whole warp takes part. The threads from which values come are known.
struct shuffle {
  llvm::Value* value;
  const std::vector<std::uint64_t>* sources;

  /// Returns the thread from which `thread` gets its value.
  unsigned source(unsigned thread) const {
    return thread / warp_size * warp_size + static_cast<unsigned>((*sources)[thread] % warp_size);
  }
};

/// An operation that a GPU can do over a whole warp at once.
struct combination {
  unsigned opcode = 0;  ///< opcode of a binary operator, if the operation is no intrinsic
  llvm::Intrinsic::ID intrinsic = 0, at_once = 0;
  std::uint32_t identity = 0;
  bool twice_is_once = false;

  bool is(const llvm::Value* value) const {
    if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(value)) return binary->getOpcode() == opcode;
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    return call && intrinsic != 0 && call->getIntrinsicID() == intrinsic;
  }
};

constexpr combination combinations[] = {
    {llvm::Instruction::Add, 0, llvm::Intrinsic::nvvm_redux_sync_add, 0, false},
    {llvm::Instruction::And, 0, llvm::Intrinsic::nvvm_redux_sync_and, ~0u, true},
    {llvm::Instruction::Or, 0, llvm::Intrinsic::nvvm_redux_sync_or, 0, true},
    {llvm::Instruction::Xor, 0, llvm::Intrinsic::nvvm_redux_sync_xor, 0, false},
    {0, llvm::Intrinsic::umin, llvm::Intrinsic::nvvm_redux_sync_umin, ~0u, true},
    {0, llvm::Intrinsic::umax, llvm::Intrinsic::nvvm_redux_sync_umax, 0, true},
    {0, llvm::Intrinsic::smin, llvm::Intrinsic::nvvm_redux_sync_min, 0x7fffffff, true},
    {0, llvm::Intrinsic::smax, llvm::Intrinsic::nvvm_redux_sync_max, 0x80000000, true}};

class warp_simplification {
public:
  warp_simplification(llvm::Function& entry, const abi::local_range& block)
      : m_entry(entry), m_threads(ptx_dialect(), entry, block) {}

  bool has_shuffles() const {
    return llvm::any_of(llvm::instructions(m_entry),
                        [](const llvm::Instruction& each) { return is_shuffle(each); });
  }

  /// Removes selections and shuffles with a known outcome. Returns whether anything changed; then facts about threads
  /// may have changed, too.
  bool remove_idle() {
    bool changed = remove_unused();
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(m_entry))) {
      llvm::Value* same = nullptr;
      if (auto* selection = llvm::dyn_cast<llvm::SelectInst>(&each)) same = outcome_of(*selection);
      if (is_shuffle(each)) same = outcome_of(each);
      if (!same || same == &each) continue;
      each.replaceAllUsesWith(same);
      each.eraseFromParent();
      changed = true;
    }
    return changed;
  }

  /// Replaces reductions by single instructions. Begins with the last combinations, because they contain the earlier
  /// ones.
  bool combine_at_once() {
    llvm::SmallVector<llvm::Instruction*, 64> all;
    for (llvm::Instruction& each : llvm::instructions(m_entry)) all.push_back(&each);
    return std::any_of(all.rbegin(), all.rend(), [&](llvm::Instruction* each) { return combine_at_once(*each); });
  }

private:
  /// Removes unused shuffles and their operands, which LLVM would keep.
  bool remove_unused() {
    bool changed = false;
    for (llvm::BasicBlock& block : m_entry) {
      for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (!each.use_empty() || (!is_shuffle(each) && !llvm::isInstructionTriviallyDead(&each))) continue;
        each.eraseFromParent();
        changed = true;
      }
    }
    return changed;
  }

  static bool is_shuffle(const llvm::Instruction& each) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::nvvm_shfl_sync_idx_i32) return false;
    const auto* lanes = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    const auto* reach = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(3));
    return lanes && lanes->isMinusOne() && reach && reach->getZExtValue() == warp_size - 1;
  }
  std::optional<shuffle> shuffle_of(llvm::Value* value) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(value);
    if (!call || !is_shuffle(*call)) return std::nullopt;
    const std::vector<std::uint64_t>* sources = m_threads.of(call->getArgOperand(2));
    return sources ? std::optional<shuffle>({call->getArgOperand(1), sources}) : std::nullopt;
  }

  template <class Test>
  bool holds_in(const gpu::thread_set& threads, const Test& test) const {
    for (unsigned i = 0; i < m_threads.count(); ++i) {
      if (threads.test(i) && !test(i)) return false;
    }
    return true;
  }

  /// Returns the operand that the selection chooses, if all threads that use the result choose the same operand.
  /// Otherwise returns null.
  llvm::Value* outcome_of(llvm::SelectInst& selection) {
    const std::vector<std::uint64_t>* condition = m_threads.of(selection.getCondition());
    if (!condition) return nullptr;
    const gpu::thread_set& users = users_of(selection);
    if (users.none()) return nullptr;
    if (holds_in(users, [&](unsigned i) { return (*condition)[i] != 0; })) return selection.getTrueValue();
    if (holds_in(users, [&](unsigned i) { return (*condition)[i] == 0; })) return selection.getFalseValue();
    return nullptr;
  }
  /// Returns the shuffle's operand if each thread that uses the result gets its own value, or if all threads of a warp
  /// have the same value.
  llvm::Value* outcome_of(llvm::Instruction& call) {
    const std::optional<shuffle> found = shuffle_of(&call);
    if (found && is_same_in_warp(*found->value)) return found->value;
    const bool is_own = found && users_of(call).any() &&
                        holds_in(users_of(call), [&](unsigned i) { return found->source(i) == i; });
    return is_own ? found->value : nullptr;
  }
  static bool is_same_in_warp(const llvm::Value& value) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value);
    return call && llvm::any_of(combinations, [&](const combination& each) {
      return each.at_once == call->getIntrinsicID();
    });
  }

  /// Returns the threads that use the value.
  const gpu::thread_set& users_of(llvm::Instruction& value) {
    const auto [place, is_new] = m_users.try_emplace(&value, m_threads.all());
    if (!is_new) return place->second;  // while the set is being computed, it contains all threads
    gpu::thread_set result;
    for (const llvm::Use& use : value.uses()) {
      result |= users_by(use);
      if (result == m_threads.all()) break;
    }
    return place->second = result;
  }

  gpu::thread_set users_by(const llvm::Use& use) {
    auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
    if (llvm::isa<llvm::PHINode>(user)) return m_threads.all();
    if (const std::optional<shuffle> through = use.getOperandNo() == 1 ? shuffle_of(&user) : std::nullopt) {
      gpu::thread_set result;
      const gpu::thread_set& users = users_of(user);
      for (unsigned i = 0; i < m_threads.count(); ++i) {
        if (users.test(i)) result.set(through->source(i));
      }
      return result;
    }
    if (auto* selection = llvm::dyn_cast<llvm::SelectInst>(&user); selection && use.getOperandNo() != 0) {
      gpu::thread_set result = users_of(*selection);
      const std::vector<std::uint64_t>* condition = m_threads.of(selection->getCondition());
      for (unsigned i = 0; condition && i < m_threads.count(); ++i) {
        if (((*condition)[i] != 0) != (use.getOperandNo() == 1)) result.reset(i);
      }
      return result;
    }
    const bool is_of_one_thread =
        llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                  llvm::MinMaxIntrinsic>(user) &&
        llvm::isSafeToSpeculativelyExecute(&user);
    return is_of_one_thread ? users_of(user) : m_threads.reaching(user.getParent());
  }

  static std::optional<combination> combination_of(const llvm::Instruction& each) {
    if (!each.getType()->isIntegerTy(32)) return std::nullopt;
    for (const combination& candidate : combinations) {
      if (candidate.is(&each)) return candidate;
    }
    return std::nullopt;
  }

  /// Recognises an operation on a value and a shuffle of this value. Returns the shuffle.
  std::optional<shuffle> step_of(const combination& how, llvm::Value* value) {
    if (!how.is(value)) return std::nullopt;
    auto* step = llvm::cast<llvm::Instruction>(value);
    for (unsigned side : {0u, 1u}) {
      const std::optional<shuffle> found = shuffle_of(step->getOperand(side));
      if (found && found->value == step->getOperand(1 - side)) return found;
    }
    return std::nullopt;
  }

  bool combine_at_once(llvm::Instruction& last) {
    const std::optional<combination> how = combination_of(last);
    if (!how) return false;
    llvm::SmallVector<shuffle, 5> steps;
    llvm::Value* first = &last;
    while (const std::optional<shuffle> step = step_of(*how, first)) steps.push_back(*step), first = step->value;
    if (steps.size() < 3 || steps.size() > 5) return false;
    const std::optional<std::uint32_t> lanes = lanes_in(steps, how->twice_is_once, users_of(last));
    if (!lanes) return false;

    llvm::IRBuilder<> builder(&last);
    llvm::Value* parts = first;
    if (*lanes != ~0u) {
      const unsigned many = static_cast<unsigned>(llvm::countr_one(*lanes));
      if (*lanes >> many != 0) return false;
      llvm::Value* lane = builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {});
      parts = builder.CreateSelect(builder.CreateICmpULT(lane, builder.getInt32(many)), first,
                                   builder.getInt32(how->identity));
    }
    last.replaceAllUsesWith(
        builder.CreateIntrinsic(builder.getInt32Ty(), how->at_once, {parts, builder.getInt32(~0u)}));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&last);
    return true;
  }

  /// The users get values that are combined from several lanes. If these are the same lanes for all users, returns the
  /// lanes.
  std::optional<std::uint32_t> lanes_in(llvm::ArrayRef<shuffle> steps, bool twice_is_once,
                                        const gpu::thread_set& users) {
    const unsigned count = m_threads.count();
    std::vector<std::uint32_t> lanes(count), next(count);
    std::vector<bool> is_exact(count, true), next_exact(count);
    for (unsigned i = 0; i < count; ++i) lanes[i] = 1u << i % warp_size;
    for (const shuffle& step : llvm::reverse(steps)) {
      for (unsigned i = 0; i < count; ++i) {
        const unsigned other = step.source(i);
        next[i] = lanes[i] | lanes[other];
        next_exact[i] = is_exact[i] && is_exact[other] && (twice_is_once || (lanes[i] & lanes[other]) == 0);
      }
      lanes.swap(next), is_exact.swap(next_exact);
    }
    std::optional<std::uint32_t> result;
    for (unsigned i = 0; i < count; ++i) {
      if (!users.test(i)) continue;
      if (!is_exact[i] || (result && *result != lanes[i])) return std::nullopt;
      result = lanes[i];
    }
    return result;
  }

  llvm::Function& m_entry;
  gpu::thread_values m_threads;
  std::map<const llvm::Instruction*, gpu::thread_set> m_users;
};

}  // namespace

void simplify_warp_values(llvm::Function& entry, const abi::local_range& block, unsigned generation) {
  const std::uint64_t count = block[0] * block[1] * block[2];
  if (count == 0 || count % warp_size != 0 || count > gpu::most_threads) return;
  const auto again = [&](const auto& change) {
    warp_simplification simplification(entry, block);
    return simplification.has_shuffles() && change(simplification);
  };
  while (again([](auto& each) { return each.remove_idle(); })) {
  }
  if (generation < 80) return;
  while (again([](auto& each) { return each.combine_at_once(); })) {
  }
  while (again([](auto& each) { return each.remove_idle(); })) {
  }
}

}  // namespace sinter::jit::nvptx
