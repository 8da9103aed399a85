#include "visited_rows.hpp"

#include <cstdint>

#include "passes/alias_scopes.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "flat_rows.hpp"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/lanes/number_bounds.hpp"
#include "row_forms.hpp"
#include "unwrapped_sums.hpp"
#include "passes/called_names.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

/// Whether the number is a summand of the sum, and occurs in it only once.
bool counts_up_by(const llvm::Value* sum, const llvm::Value* number, unsigned depth = 4) {
  if (sum == number) return true;
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(sum);
  if (!add || depth == 0 || add->getOpcode() != llvm::Instruction::Add) return false;
  return counts_up_by(add->getOperand(0), number, depth - 1) != counts_up_by(add->getOperand(1), number, depth - 1);
}

/// Computes the sum without the summand `number`. LLVM and the vectorizer then see that the rest of the sum is equal in
/// all lanes.
llvm::Value* without(llvm::IRBuilder<>& builder, llvm::Value* sum, const llvm::Value* number) {
  if (sum == number) return llvm::ConstantInt::get(sum->getType(), 0);
  if (!counts_up_by(sum, number)) return sum;
  auto* add = llvm::cast<llvm::BinaryOperator>(sum);
  return builder.CreateAdd(without(builder, add->getOperand(0), number), without(builder, add->getOperand(1), number));
}

bool is_number(const llvm::Value* value, std::uint64_t number) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value);
  return known && known->equalsInt(number);
}

/// A visit of one element of a range with one dimension (element_visits.hpp).
struct visit {
  llvm::CallInst *begin = nullptr, *end = nullptr, *id = nullptr;
};

visit visit_at(llvm::CallInst& begin) {
  visit found{&begin, nullptr, nullptr};
  for (unsigned d : {0u, 1u}) {
    if (!is_number(begin.getArgOperand(d), 0) || !is_number(begin.getArgOperand(3 + d), 1)) return {};
  }
  for (llvm::User* user : begin.getArgOperand(2)->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || !call->getCalledFunction() || call == &begin) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    llvm::CallInst** place = name == "__sinter_element_end"  ? &found.end
                             : name == "__sinter_element_id" ? &found.id
                                                             : nullptr;
    if (!place || call->getArgOperand(name == "__sinter_element_end" ? 2 : 0) != begin.getArgOperand(2)) continue;
    if (*place) return {};
    *place = call;
  }
  return found.end && found.id ? found : visit{};
}

/// Returns the blocks from `head` to `behind`, or none if other edges lead into or out of them.
llvm::SmallVector<llvm::BasicBlock*, 8> blocks_between(llvm::BasicBlock* head, llvm::BasicBlock* behind) {
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks{head};
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> seen{head, behind};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (llvm::BasicBlock* next : llvm::successors(blocks[i])) {
      if (seen.insert(next).second) blocks.push_back(next);
    }
  }
  for (llvm::BasicBlock* block : blocks) {
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return {};
    if (block == head) continue;
    for (llvm::BasicBlock* before : llvm::predecessors(block)) {
      if (!llvm::is_contained(blocks, before)) return {};
    }
  }
  return blocks;
}

/// Returns the value's copy in the copied blocks, or the value itself if it is from outside of them.
llvm::Value* copy_of(llvm::Value* value, const llvm::ValueToValueMapTy& copies) {
  llvm::Value* copy = copies.lookup(value);
  return copy ? copy : value;
}

id_steps copies_of(const id_steps& steps, const llvm::ValueToValueMapTy& copies) {
  id_steps result;
  for (const id_step& each : steps) {
    auto* instruction =
        llvm::cast_or_null<llvm::Instruction>(static_cast<llvm::Value*>(copies.lookup(each.instruction)));
    if (!instruction) continue;
    llvm::Value* divisor = each.divisor ? copy_of(each.divisor, copies) : nullptr;
    result.push_back({instruction, copy_of(each.id, copies), divisor, each.what});
  }
  return result;
}

/// Calls `asked` at the function's beginning, and inlines the call: the vectorizer then sees that the call's result
/// is equal in all lanes.
llvm::Value* ask_first(llvm::Function& function, llvm::Function& asked, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* call = builder.CreateCall(&asked, arguments);
  llvm::Value* answer = builder.CreateFreeze(call);
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info);
  asked.eraseFromParent();
  return answer;
}

/// Marks indices in `blocks` as not wrapping. Returns the condition under which the indices do not wrap, or null if
/// nothing was changed.
llvm::Value* unwrap_form(llvm::Function& function, const visit& what, llvm::Value* id,
                         llvm::ArrayRef<llvm::BasicBlock*> blocks) {
  early_function early(function, bounds_parameters(), llvm::Type::getInt1Ty(function.getContext()),
                       function.getName() + ".visits_unwrapped");
  const llvm::DominatorTree dominators(function);
  bounds_finder bounds(function, dominators, early);
  llvm::Value* elements = what.begin->getArgOperand(5);
  unwrapped_sums unwrapped;
  if (is_known_early(elements, bounds_parameters())) {
    llvm::IRBuilder<>& builder = early.builder();
    const number_bounds all{builder.getInt64(0), builder.CreateSub(early.value_of(elements), builder.getInt64(1))};
    bounds.set(id, all);
    unwrapped = unwrap_sums(function, bounds, blocks);
    if (unwrapped.condition)
      unwrapped.condition = builder.CreateAnd(unwrapped.condition, bounds.fits(all));
  }
  if (!unwrapped.condition) {
    early.drop();
    return nullptr;
  }
  llvm::Function* condition = early.finish(unwrapped.condition);
  llvm::SmallVector<llvm::Value*, 16> arguments;
  for (unsigned parameter : bounds_parameters()) arguments.push_back(function.getArg(parameter));
  return ask_first(function, *condition, arguments);
}

/// The condition that the ids of all lanes are in at most two neighbouring rows.
struct two_rows {
  llvm::Value* is_true;
  row_of_ids first;  ///< the row of lane 0; its `id` is each lane's own id
};

/// Replaces each division of the id by the row's length with a comparison, if the lanes are in two rows at most.
/// Otherwise the divisions run.
void divide_in_two_rows(const id_steps& steps, llvm::Value* id, llvm::Value* width, const two_rows& rows) {
  llvm::SmallPtrSet<llvm::Value*, 4> same{id};
  for (const id_step& each : steps) {
    if (!same.contains(each.id)) continue;
    if (each.what == id_step::kind::cast) same.insert(each.instruction);
    if (!each.is_division() || !divides_by_length(each, width)) continue;
    llvm::Instruction* division = each.instruction;
    llvm::IRBuilder<> builder(division);
    llvm::Value* place = builder.CreateSub(rows.first.id, rows.first.begin);
    llvm::Value* is_next = builder.CreateICmpUGE(place, rows.first.length);
    llvm::Value* value =
        each.what == id_step::kind::quotient
            ? builder.CreateAdd(rows.first.number, builder.CreateZExt(is_next, builder.getInt64Ty()))
            : builder.CreateSelect(is_next, builder.CreateSub(place, rows.first.length), place);
    value = builder.CreateTrunc(value, division->getType());
    llvm::BasicBlock* before = division->getParent();
    llvm::Instruction* otherwise =
        llvm::SplitBlockAndInsertIfThen(builder.CreateNot(rows.is_true), division->getIterator(), false);
    llvm::PHINode* result = llvm::PHINode::Create(division->getType(), 2, "", division->getIterator());
    division->replaceAllUsesWith(result);
    division->moveBefore(*otherwise->getParent(), otherwise->getIterator());
    result->addIncoming(value, before);
    result->addIncoming(division, otherwise->getParent());
  }
}

/// Adds a second version of the visit's code. This version runs if the elements of all lanes are in one row and no
/// index wraps.
void add_form(llvm::Function& function, const visit& what) {
  // The second form is only for ranges whose ids fit 31 bits, which is tested when the kernel runs: the number of
  // elements is not known earlier.
  constexpr bool narrow_ids = true;
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 31;
  const id_steps steps = steps_of(function, what.id, narrow_ids);
  llvm::Value* width = innermost(steps);
  llvm::BasicBlock* before = what.begin->getParent();
  llvm::BasicBlock* head = llvm::SplitBlock(before, what.begin);
  llvm::BasicBlock* behind = llvm::SplitBlock(what.end->getParent(), what.end);
  const llvm::SmallVector<llvm::BasicBlock*, 8> blocks = blocks_between(head, behind);
  if (blocks.empty() || !llvm::is_contained(blocks, what.id->getParent())) return;
  // Values that are used after these blocks are stored in stack variables, which later passes turn into values again.
  llvm::SmallVector<llvm::Instruction*, 8> left;
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& each : *block) {
      const auto is_outside = [&](const llvm::User* user) {
        return !llvm::is_contained(blocks, llvm::cast<llvm::Instruction>(user)->getParent());
      };
      if (llvm::any_of(each.users(), is_outside)) left.push_back(&each);
    }
  }
  llvm::Function* length_of = width ? make_row_length(function, steps, width, narrow_ids) : nullptr;
  for (llvm::Instruction* each : left) llvm::DemoteRegToStack(*each);

  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 8> copies;
  for (llvm::BasicBlock* block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".row", &function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  renew_scopes(copies);

  llvm::IRBuilder<> builder(before->getTerminator());
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  llvm::BranchInst* choice = builder.CreateCondBr(builder.getFalse(), copies.front(), head);
  llvm::Value* unwrapped = unwrap_form(function, what, copy_of(what.id, map), copies);
  builder.SetInsertPoint(choice);
  if (!width) {
    if (unwrapped) return choice->setCondition(unwrapped);
    llvm::ReplaceInstWithInst(choice, llvm::BranchInst::Create(head));
    return llvm::DeleteDeadBlocks(copies);
  }

  llvm::Value* length = ask_first(
      function, *length_of,
      {function.getArg(parameter_block), function.getArg(parameter_global_range + 2), builder.getInt64(0)});
  llvm::Type* type = builder.getInt32Ty();
  const auto wide = [&](llvm::Value* value) { return builder.CreateZExt(value, builder.getInt64Ty()); };
  llvm::Value* id = what.id->getArgOperand(0);
  llvm::Value* first = without(builder, id, function.getArg(parameter_local_id + 2));
  llvm::Value* divisor = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, length, builder.getInt64(1));
  llvm::Value* row = wide(builder.CreateUDiv(builder.CreateTrunc(first, type), builder.CreateTrunc(divisor, type)));
  llvm::Value* begin = builder.CreateMul(row, divisor);
  llvm::Value* local_range = function.getArg(parameter_local_range + 2);
  llvm::Value* last = builder.CreateAdd(builder.CreateSub(first, begin), local_range);
  llvm::Value* is_small = builder.CreateICmpULE(what.begin->getArgOperand(5), builder.getInt64(most_elements));
  llvm::Value* has_form = builder.CreateAnd(builder.CreateIsNotNull(length), is_small);
  llvm::Value* is_long = builder.CreateAnd(has_form, builder.CreateICmpULE(local_range, divisor));
  if (unwrapped) has_form = builder.CreateAnd(has_form, unwrapped);
  choice->setCondition(builder.CreateAnd(has_form, builder.CreateICmpULE(last, divisor)));

  write_in_row(&*copies.front()->getFirstInsertionPt(), narrow_ids, {id, row, begin, divisor}, copies_of(steps, map),
               copy_of(what.id, map), copy_of(width, map));
  divide_in_two_rows(steps, what.id, width, {is_long, {id, row, begin, divisor}});
}

}  // namespace

bool may_have_visit_forms(const llvm::Function& work_item) {
  using namespace llvm::PatternMatch;
  return divides(work_item) || llvm::any_of(llvm::instructions(work_item), [](const llvm::Instruction& each) {
           return match(&each, m_Shl(m_Value(), m_SpecificInt(32))) ||
                  (llvm::isa<llvm::TruncInst>(each) && each.getType()->isIntegerTy(32));
         });
}

void visit_rows(llvm::Function& work_item) {
  for (llvm::CallInst* begin : calls_of(work_item, "__sinter_element_begin")) {
    const visit found = visit_at(*begin);
    if (!found.begin || !counts_up_by(found.id->getArgOperand(0), work_item.getArg(parameter_local_id + 2))) continue;
    add_form(work_item, found);
  }
}

}  // namespace sinter::passes
