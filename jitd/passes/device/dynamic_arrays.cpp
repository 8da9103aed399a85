#include "dynamic_arrays.hpp"

#include <algorithm>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "sub_groups.hpp"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

/// Whether other work-items may run at the instruction, because it is a barrier or calls a function of the sub-group.
bool is_cut(const llvm::Instruction& instruction) {
  return is_barrier(instruction) || sub_group_call_of(instruction) != sub_group_call::none;
}

const llvm::IntrinsicInst* restore_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::stackrestore ? call : nullptr;
}

/// Visits every instruction that may run behind `start`. Does not follow a path behind an instruction for which
/// visit(instruction) returns false.
template <class Visit>
void walk_behind(const llvm::Instruction& start, const Visit& visit) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> work;
  const auto walk = [&](const llvm::Instruction* at) {
    for (; at; at = at->getNextNode()) {
      if (!visit(*at)) return;
      if (!at->isTerminator()) continue;
      for (const llvm::BasicBlock* next : llvm::successors(at->getParent())) {
        if (seen.insert(next).second) work.push_back(next);
      }
    }
  };
  walk(start.getNextNode());
  while (!work.empty()) walk(&work.pop_back_val()->front());
}

class dynamic_array {
public:
  explicit dynamic_array(const llvm::AllocaInst& variable) : m_variable(variable) {
    llvm::SmallVector<const llvm::Value*, 8> work{&variable};
    while (!work.empty()) {
      for (const llvm::Use& use : work.pop_back_val()->uses()) {
        const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        if (user->isLifetimeStartOrEnd() || !m_users.insert(user).second) continue;
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        m_escapes |= store && use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex();
        m_escapes |= call && !(call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use)));
        m_merges |= llvm::isa<llvm::PHINode>(user);
        if (!user->getType()->isVoidTy()) work.push_back(user);
      }
    }
  }

  bool lives_across_cut() const {
    bool result = false;
    walk_behind(m_variable, [&](const llvm::Instruction& instruction) {
      if (ends_at(instruction)) return false;
      if (is_cut(instruction)) result |= m_escapes || is_used_behind(instruction);
      return !result;
    });
    return result;
  }

private:
  /// Whether the instruction frees the array or allocates it again.
  bool ends_at(const llvm::Instruction& instruction) const {
    if (&instruction == &m_variable) return !m_merges;
    const llvm::IntrinsicInst* restore = restore_of(instruction);
    const auto* saved = restore ? llvm::dyn_cast<llvm::Instruction>(restore->getArgOperand(0)) : nullptr;
    // clang saves the stack pointer at the beginning of the array's scope.
    return saved && saved->getParent() == m_variable.getParent() && saved->comesBefore(&m_variable);
  }

  bool is_used_behind(const llvm::Instruction& cut) const {
    bool result = false;
    walk_behind(cut, [&](const llvm::Instruction& instruction) {
      if (ends_at(instruction)) return false;
      result |= m_users.contains(&instruction);
      return !result;
    });
    return result;
  }

  const llvm::AllocaInst& m_variable;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> m_users;
  bool m_escapes = false, m_merges = false;
};

std::string describe(llvm::AllocaInst& variable) {
  std::string name;
  for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&variable)) {
    name = " '" + record->getVariable()->getName().str() + "'";
  }
  const llvm::DebugLoc& location = variable.getDebugLoc();
  std::string place;
  if (location) place = " (" + location->getFilename().str() + ":" + std::to_string(location.getLine()) + ")";
  return "the array" + name + " of variable length" + place;
}

/// Whether there is a cut (is_cut) between the place that saves this stack pointer and the place that restores it. If
/// there is a cut, the saved pointer belongs to another stack.
bool is_cut_off(const llvm::IntrinsicInst& restore) {
  const auto* saved = llvm::dyn_cast<llvm::Instruction>(restore.getArgOperand(0));
  if (!saved) return false;
  bool result = false;
  walk_behind(*saved, [&](const llvm::Instruction& instruction) {
    if (is_cut(instruction)) {
      walk_behind(instruction, [&](const llvm::Instruction& behind) {
        result |= &behind == &restore;
        return !result && &behind != saved;
      });
    }
    return !result && &instruction != &restore;
  });
  return result;
}

llvm::SmallVector<llvm::AllocaInst*, 4> dynamic_arrays_of(llvm::Function& function) {
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable && !llvm::isa<llvm::ConstantInt>(variable->getArraySize())) arrays.push_back(variable);
  }
  return arrays;
}

/// A value that says whether the array would make the stack exceed its limit.
llvm::Value* is_too_much(llvm::IRBuilder<>& builder, llvm::AllocaInst& variable) {
  llvm::Type* int64 = builder.getInt64Ty();
  llvm::Type* pointer = builder.getPtrTy();
  const std::uint64_t element =
      std::max<std::uint64_t>(1, variable.getDataLayout().getTypeAllocSize(variable.getAllocatedType()));
  llvm::Value* count = builder.CreateZExtOrTrunc(variable.getArraySize(), int64);
  // The comparison is unsigned, so that negative lengths are too large, too. Below the limit, length times element size
  // does not wrap.
  llvm::Value* is_long = builder.CreateICmpUGT(count, builder.getInt64(most_dynamic_bytes / element));
  // Limits the whole frame, which also holds earlier arrays, including arrays that are never freed.
  llvm::Value* frame = builder.CreateIntrinsic(llvm::Intrinsic::frameaddress, {pointer}, {builder.getInt32(0)});
  llvm::Value* top = builder.CreateIntrinsic(llvm::Intrinsic::stacksave, {pointer}, {});
  llvm::Value* used = builder.CreateSub(builder.CreatePtrToInt(frame, int64), builder.CreatePtrToInt(top, int64));
  llvm::Value* all = builder.CreateAdd(used, builder.CreateMul(count, builder.getInt64(element)));
  return builder.CreateOr(is_long, builder.CreateICmpUGT(all, builder.getInt64(most_dynamic_bytes)));
}

}  // namespace

bool bound_dynamic_arrays(llvm::Function& function, const std::string& kernel) {
  const auto arrays = dynamic_arrays_of(function);
  for (llvm::AllocaInst* each : arrays) {
    const std::string message =
        kernel + ": " + describe(*each) + " needs more stack than there is: all such arrays of a function may have " +
        std::to_string(most_dynamic_bytes) +
        " bytes together; make it shorter, give it a constant length, or keep it in local memory or USM";
    llvm::IRBuilder<> builder(each);
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(is_too_much(builder, *each), each, /*Unreachable=*/true);
    builder.SetInsertPoint(end);
    llvm::FunctionCallee trap = function.getParent()->getOrInsertFunction(
        "__sinter_trap", llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false));
    builder.CreateCall(trap, {builder.CreateGlobalString(message)});
  }
  return !arrays.empty();
}

llvm::Error check_dynamic_arrays(llvm::Function& work_item) {
  llvm::SmallVector<llvm::IntrinsicInst*, 4> restores;
  bool is_whole = true;
  for (llvm::Instruction& instruction : llvm::instructions(work_item)) {
    if (restore_of(instruction)) restores.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
    is_whole &= !is_cut(instruction);
  }
  if (is_whole) return llvm::Error::success();
  for (llvm::AllocaInst* each : dynamic_arrays_of(work_item)) {
    if (!dynamic_array(*each).lives_across_cut()) continue;
    return llvm::createStringError(describe(*each) +
                                   " lives across a barrier, a group function or an exchange of a sub-group; give it a "
                                   "constant length, or keep it in local memory or USM");
  }
  llvm::erase_if(restores, [](const llvm::IntrinsicInst* restore) { return !is_cut_off(*restore); });
  for (llvm::IntrinsicInst* each : restores) each->eraseFromParent();
  return llvm::Error::success();
}

}  // namespace sinter::passes
