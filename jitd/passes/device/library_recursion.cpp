#include "library_recursion.hpp"

#include <string>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::passes {
namespace {

llvm::SmallVector<llvm::CallInst*, 4> calls_of_itself(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 4> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && call->getCalledFunction() == &function) calls.push_back(call);
  }
  return calls;
}

bool can_unroll(const llvm::Function& function) {
  if (function.isVarArg() || function.isConvergent()) return false;
  for (const llvm::Argument& argument : function.args()) {
    if (argument.hasPassPointeeByValueCopyAttr()) return false;
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory && !memory->isStaticAlloca()) return false;
  }
  return true;
}

/// Whether the value is needed at the beginning of any of `blocks`: a use can be reached before the value is computed
/// again.
bool is_live_at(const llvm::Instruction& value, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& blocks) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> work;
  const auto needed_at_end = [&](const llvm::BasicBlock* block) {
    if (block != value.getParent() && seen.insert(block).second) work.push_back(block);
  };
  for (const llvm::Use& use : value.uses()) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      needed_at_end(phi->getIncomingBlock(use));
    } else {
      needed_at_end(user->getParent());
    }
  }
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    if (blocks.contains(block)) return true;
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) needed_at_end(before);
  }
  return false;
}

class unroller {
public:
  unroller(llvm::Function& function, llvm::ArrayRef<llvm::CallInst*> calls)
      : m_function(function),
        m_layout(function.getDataLayout()),
        m_int32(llvm::Type::getInt32Ty(function.getContext())),
        m_calls(calls) {}

  void run() {
    forget_variables();
    separate_entry();
    for (llvm::CallInst* call : m_calls) {
      llvm::BasicBlock* block = call->getParent();
      m_behind.push_back(llvm::SplitBlock(block, call->getNextNode()));
    }
    keep_what_lives_across();
    make_stack();
    for (unsigned i = 0; i < m_calls.size(); ++i) lower_call(*m_calls[i], i);
    lower_returns();
    for (llvm::Attribute::AttrKind kind : {llvm::Attribute::Memory, llvm::Attribute::WillReturn}) {
      m_function.removeFnAttr(kind);
      for (llvm::User* user : m_function.users()) {
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->removeFnAttr(kind);
      }
    }
  }

private:
  /// Removes debug information about variables: each level has its own copies, so debug information can't name one
  /// address.
  void forget_variables() {
    llvm::SmallVector<llvm::Instruction*, 8> erased;
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      instruction.dropDbgRecords();
      if (instruction.isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
        erased.push_back(&instruction);
      }
    }
    for (llvm::Instruction* each : erased) each->eraseFromParent();
  }

  /// Moves everything out of the entry block except allocas and stores of the first level's arguments. Calls jump to
  /// the code behind this block.
  void separate_entry() {
    m_entry = &m_function.getEntryBlock();
    llvm::SmallVector<llvm::AllocaInst*, 8> allocas;
    for (llvm::Instruction& instruction : *m_entry) {
      if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) allocas.push_back(memory);
    }
    m_body = llvm::SplitBlock(m_entry, m_entry->begin());
    for (llvm::AllocaInst* each : allocas) each->moveBefore(*m_entry, m_entry->getTerminator()->getIterator());
    llvm::IRBuilder<> outside(m_entry->getTerminator()), inside(&*m_body->getFirstInsertionPt());
    for (llvm::Argument& argument : m_function.args()) {
      llvm::AllocaInst* place = outside.CreateAlloca(argument.getType());
      llvm::LoadInst* value = inside.CreateLoad(argument.getType(), place, argument.getName());
      argument.replaceAllUsesWith(value);
      outside.CreateStore(&argument, place);
      m_arguments.push_back(place);
    }
    m_resume = outside.CreateAlloca(m_int32);
    if (!m_function.getReturnType()->isVoidTy()) m_result = outside.CreateAlloca(m_function.getReturnType());
  }

  void keep_what_lives_across() {
    const llvm::SmallPtrSet<llvm::BasicBlock*, 8> behind(m_behind.begin(), m_behind.end());
    llvm::SmallVector<llvm::Instruction*, 16> kept;
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.use_empty()) continue;
      if (call && llvm::is_contained(m_calls, call)) continue;  // m_result holds the callee's result
      if (is_live_at(instruction, behind)) kept.push_back(&instruction);
    }
    for (llvm::Instruction* each : kept) llvm::DemoteRegToStack(*each);
    // A call's result is read where the call returns. The result may be needed behind a later call.
    for (unsigned i = 0; i < m_calls.size(); ++i) {
      llvm::CallInst* call = m_calls[i];
      if (call->use_empty()) continue;
      llvm::IRBuilder<> builder(&*m_behind[i]->getFirstInsertionPt());
      llvm::LoadInst* value = builder.CreateLoad(call->getType(), m_result);
      m_results.push_back(value);
      call->replaceAllUsesWith(value);
      if (is_live_at(*value, behind)) llvm::DemoteRegToStack(*value);
    }
  }

  /// Replaces all allocas by an array of frames.
  void make_stack() {
    llvm::Align most(8);
    llvm::SmallVector<llvm::AllocaInst*, 16> slots;
    for (llvm::Instruction& instruction : *m_entry) {
      auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!slot) continue;
      slots.push_back(slot);
      most = std::max(most, slot->getAlign());
      m_size = llvm::alignTo(m_size, slot->getAlign());
      m_offsets[slot] = m_size;
      m_size += slot->getAllocationSize(m_layout)->getFixedValue();
    }
    m_size = llvm::alignTo(m_size, most);
    llvm::IRBuilder<> builder(&*m_entry->getFirstInsertionPt());
    m_stack = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), m_size * most_levels), nullptr, "frames");
    m_stack->setAlignment(most);
    m_level = builder.CreateAlloca(m_int32, nullptr, "level");
    builder.CreateStore(builder.getInt32(0), m_level);
    for (llvm::AllocaInst* slot : slots) {
      for (llvm::Use& use : llvm::make_early_inc_range(slot->uses())) {
        auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
        builder.SetInsertPoint(phi ? phi->getIncomingBlock(use)->getTerminator() : user);
        const bool is_result = slot == m_result && llvm::is_contained(m_results, user);
        llvm::Value* here = level(builder);
        use.set(place(builder, slot, is_result ? builder.CreateAdd(here, builder.getInt32(1)) : here));
      }
    }
  }

  llvm::Value* level(llvm::IRBuilder<>& builder) { return builder.CreateLoad(m_int32, m_level); }
  llvm::Value* place(llvm::IRBuilder<>& builder, llvm::AllocaInst* slot, llvm::Value* at) {
    llvm::Value* frame = builder.CreateMul(builder.CreateZExt(at, builder.getInt64Ty()), builder.getInt64(m_size));
    return builder.CreatePtrAdd(m_stack, builder.CreateAdd(frame, builder.getInt64(m_offsets[slot])));
  }

  void lower_call(llvm::CallInst& call, unsigned number) {
    llvm::BasicBlock* block = call.getParent();
    llvm::IRBuilder<> builder(&call);
    llvm::Value* here = level(builder);
    llvm::Value* next = builder.CreateAdd(here, builder.getInt32(1));
    builder.CreateStore(builder.getInt32(number), place(builder, m_resume, here));
    llvm::SmallVector<llvm::Value*, 8> arguments(call.args());
    llvm::Instruction* jump = block->getTerminator();
    call.eraseFromParent();
    builder.SetInsertPoint(jump);
    builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt32(most_levels)), entered_with(arguments, next),
                         too_deep());
    jump->eraseFromParent();
  }

  /// Makes a block that stores the arguments of the next level and jumps to that level's beginning.
  llvm::BasicBlock* entered_with(llvm::ArrayRef<llvm::Value*> arguments, llvm::Value* next) {
    auto* block = llvm::BasicBlock::Create(m_function.getContext(), "call", &m_function);
    llvm::IRBuilder<> builder(block);
    for (unsigned i = 0; i < arguments.size(); ++i) {
      builder.CreateStore(arguments[i], place(builder, m_arguments[i], next));
    }
    builder.CreateStore(next, m_level);
    builder.CreateBr(m_body);
    return block;
  }

  llvm::BasicBlock* too_deep() {
    if (m_too_deep) return m_too_deep;
    m_too_deep = llvm::BasicBlock::Create(m_function.getContext(), "too.deep", &m_function);
    llvm::IRBuilder<> builder(m_too_deep);
    llvm::FunctionCallee trap = m_function.getParent()->getOrInsertFunction(
        "__sinter_trap", llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, /*isVarArg=*/false));
    const std::string levels = std::to_string(most_levels);
    builder.CreateCall(trap, {builder.CreateGlobalString("a function of the standard library calls itself " + levels +
                                                         " times, which is too deep for a device")});
    builder.CreateUnreachable();
    return m_too_deep;
  }

  void lower_returns() {
    auto* leave = llvm::BasicBlock::Create(m_function.getContext(), "leave", &m_function);
    auto* back = llvm::BasicBlock::Create(m_function.getContext(), "back", &m_function);
    auto* done = llvm::BasicBlock::Create(m_function.getContext(), "done", &m_function);
    llvm::IRBuilder<> builder(leave);
    for (llvm::BasicBlock& block : m_function) {
      auto* end = llvm::dyn_cast_or_null<llvm::ReturnInst>(block.getTerminator());
      if (!end) continue;
      builder.SetInsertPoint(end);
      if (m_result) builder.CreateStore(end->getReturnValue(), place(builder, m_result, level(builder)));
      builder.CreateBr(leave);
      end->eraseFromParent();
    }
    builder.SetInsertPoint(leave);
    llvm::Value* here = level(builder);
    builder.CreateCondBr(builder.CreateICmpEQ(here, builder.getInt32(0)), done, back);

    builder.SetInsertPoint(back);
    llvm::Value* before = builder.CreateSub(here, builder.getInt32(1));
    builder.CreateStore(before, m_level);
    llvm::Value* number = builder.CreateLoad(m_int32, place(builder, m_resume, before));
    llvm::SwitchInst* jump = builder.CreateSwitch(number, m_behind[0]);
    for (unsigned i = 1; i < m_behind.size(); ++i) jump->addCase(builder.getInt32(i), m_behind[i]);

    builder.SetInsertPoint(done);
    if (m_result) {
      builder.CreateRet(builder.CreateLoad(m_function.getReturnType(), place(builder, m_result, builder.getInt32(0))));
    } else {
      builder.CreateRetVoid();
    }
    for (auto& [slot, offset] : m_offsets) slot->eraseFromParent();
  }

  llvm::Function& m_function;
  const llvm::DataLayout& m_layout;
  llvm::Type* m_int32;
  llvm::ArrayRef<llvm::CallInst*> m_calls;
  llvm::SmallVector<llvm::BasicBlock*, 4> m_behind;  ///< blocks to which calls return
  llvm::BasicBlock *m_entry = nullptr, *m_body = nullptr, *m_too_deep = nullptr;
  llvm::SmallVector<llvm::AllocaInst*, 8> m_arguments;
  llvm::AllocaInst *m_resume = nullptr, *m_result = nullptr, *m_stack = nullptr, *m_level = nullptr;
  llvm::SmallVector<llvm::Instruction*, 4> m_results;  ///< loads of calls' results
  llvm::MapVector<llvm::AllocaInst*, std::uint64_t> m_offsets;
  std::uint64_t m_size = 0;  ///< size of a frame in bytes
};

} // namespace

void unroll_recursion(llvm::Module& module) {
  for (llvm::Function& function : module) {
    const auto calls = calls_of_itself(function);
    if (!calls.empty() && can_unroll(function)) unroller(function, calls).run();
  }
}

} // namespace sinter::passes
