#include "sub_groups.hpp"

#include "passes/called_names.hpp"
#include "passes/convergence.hpp"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "work_item_function.hpp"

namespace sinter::passes {
namespace {

class exchange {
public:
  exchange(llvm::Function& function, unsigned size)
      : m_function(function),
        m_size(size),
        m_builder(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  void run() {
    llvm::SmallVector<llvm::CallInst*, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      const sub_group_call what = sub_group_call_of(instruction);
      if (what != sub_group_call::none && what != sub_group_call::barrier) {
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    prepare();
    for (llvm::CallInst* call : calls) {
      m_builder.SetInsertPoint(call);
      m_builder.SetCurrentDebugLocation(call->getDebugLoc());
      call->replaceAllUsesWith(answer(*call));
      call->eraseFromParent();
    }
  }

private:
  static constexpr unsigned mailbox_bytes = 16;

  void prepare() {
    llvm::Type* int32 = m_builder.getInt32Ty();
    llvm::Value* id = m_function.getArg(parameter_local_id + 2);
    llvm::Value* size = m_builder.getInt64(m_size);
    llvm::Value* lane = m_builder.CreateAnd(id, m_builder.getInt64(m_size - 1));
    llvm::Value* left =
        m_builder.CreateAdd(m_builder.CreateSub(m_function.getArg(parameter_local_range + 2), id), lane);
    m_lane = m_builder.CreateTrunc(lane, int32);
    m_range = m_builder.CreateTrunc(m_builder.CreateSelect(m_builder.CreateICmpULT(left, size), left, size), int32);
    m_mailbox = m_builder.CreateAlloca(llvm::ArrayType::get(m_builder.getInt64Ty(), 2), nullptr, "mailbox");
    m_mailbox->setAlignment(llvm::Align(mailbox_bytes));
    m_turn = m_builder.CreateAlloca(m_builder.getInt64Ty(), nullptr, "turn");
    m_builder.CreateStore(m_builder.getInt64(0), m_turn);
  }

  llvm::Value* answer(llvm::CallInst& call) {
    switch (sub_group_call_of(call)) {
      case sub_group_call::size: return m_builder.getInt32(m_size);
      case sub_group_call::local_id: return m_lane;
      case sub_group_call::local_range: return m_range;
      case sub_group_call::ballot: return ballot(call);
      default: return shuffle(call);
    }
  }

  llvm::Value* shuffle(llvm::CallInst& call) {
    post(call.getArgOperand(0));
    llvm::Value* source = m_builder.CreateAnd(call.getArgOperand(1), m_builder.getInt32(m_size - 1));
    return m_builder.CreateTrunc(read(source), call.getType());
  }

  llvm::Value* ballot(llvm::CallInst& call) {
    post(call.getArgOperand(0));
    llvm::Value* all = m_builder.getInt64(0);
    for (unsigned i = 0; i < m_size; ++i) {
      llvm::Value* is_there = m_builder.CreateICmpULT(m_builder.getInt32(i), m_range);
      llvm::Value* bit = m_builder.CreateShl(read(m_builder.getInt32(i)), i);
      all = m_builder.CreateOr(all, m_builder.CreateSelect(is_there, bit, m_builder.getInt64(0)));
    }
    return all;
  }

  void post(llvm::Value* value) {
    llvm::Value* turn = m_builder.CreateLoad(m_builder.getInt64Ty(), m_turn);
    m_builder.CreateStore(m_builder.CreateZExt(value, m_builder.getInt64Ty()), mailbox(turn));
    m_builder.CreateStore(m_builder.CreateXor(turn, m_builder.getInt64(8)), m_turn);
    create_barrier(m_builder, abi::scope::sub_group);
  }

  /// Reads the value that work-item `source` posted last. If there is no such work-item, reads the value of the calling
  /// work-item.
  llvm::Value* read(llvm::Value* source) {
    llvm::Value* turn =
        m_builder.CreateXor(m_builder.CreateLoad(m_builder.getInt64Ty(), m_turn), m_builder.getInt64(8));
    llvm::Value* there = m_builder.CreateSelect(m_builder.CreateICmpULT(source, m_range), source, m_lane);
    llvm::Value* distance = m_builder.CreateSExt(m_builder.CreateSub(there, m_lane), m_builder.getInt64Ty());
    llvm::Value* bytes = m_builder.CreateMul(distance, m_builder.getInt64(mailbox_bytes));
    return m_builder.CreateLoad(m_builder.getInt64Ty(), m_builder.CreatePtrAdd(mailbox(turn), bytes));
  }

  llvm::Value* mailbox(llvm::Value* turn) { return m_builder.CreatePtrAdd(m_mailbox, turn); }

  llvm::Function& m_function;
  unsigned m_size;
  llvm::IRBuilder<> m_builder;
  llvm::Value *m_lane = nullptr, *m_range = nullptr;
  llvm::AllocaInst *m_mailbox = nullptr, *m_turn = nullptr;
};

} // namespace

sub_group_call sub_group_call_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call || !call->getCalledFunction()) return sub_group_call::none;
  llvm::StringRef name = call->getCalledFunction()->getName();
  if (name == "__sinter_barrier") {
    const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    const bool within = scope && scope->getZExtValue() < static_cast<std::uint64_t>(abi::scope::work_group);
    return within ? sub_group_call::barrier : sub_group_call::none;
  }
  if (!name.consume_front("__sinter_sub_group_")) return sub_group_call::none;
  return llvm::StringSwitch<sub_group_call>(name)
      .Case("size", sub_group_call::size)
      .Case("local_id", sub_group_call::local_id)
      .Case("local_range", sub_group_call::local_range)
      .Case("ballot", sub_group_call::ballot)
      .Case("shuffle_8", sub_group_call::shuffle)
      .Case("shuffle_16", sub_group_call::shuffle)
      .Case("shuffle_32", sub_group_call::shuffle)
      .Case("shuffle_64", sub_group_call::shuffle)
      .Default(sub_group_call::none);
}

bool asks_for_sub_groups(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return sub_group_call_of(instruction) != sub_group_call::none;
  });
}

bool needs_sub_groups(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const sub_group_call what = sub_group_call_of(instruction);
    return what != sub_group_call::none && what != sub_group_call::size;
  });
}

void state_sub_group_size(llvm::Function& function, unsigned size) {
  llvm::SmallVector<llvm::Instruction*, 8> queries;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (sub_group_call_of(instruction) == sub_group_call::size) queries.push_back(&instruction);
  }
  if (queries.empty()) return;
  for (llvm::Instruction* query : queries) {
    const bool stays = query->mayHaveSideEffects();
    llvm::replaceAndRecursivelySimplify(query, llvm::ConstantInt::get(query->getType(), size));
    if (stays) query->eraseFromParent();
  }
  for (llvm::BasicBlock& block : function) llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  llvm::removeUnreachableBlocks(function);
}

void make_groups_of_one(llvm::Function& work_item) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(work_item))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction()) continue;
    llvm::IRBuilder<> builder(call);
    llvm::Value* answer = nullptr;
    switch (sub_group_call_of(*call)) {
      case sub_group_call::size:
      case sub_group_call::local_range: answer = builder.getInt32(1); break;
      case sub_group_call::local_id: answer = builder.getInt32(0); break;
      case sub_group_call::ballot: answer = builder.CreateZExt(call->getArgOperand(0), call->getType()); break;
      case sub_group_call::shuffle: answer = call->getArgOperand(0); break;
      case sub_group_call::barrier: break;
      case sub_group_call::none:
        if (!is_barrier(*call)) continue;
    }
    if (answer) call->replaceAllUsesWith(answer);
    call->eraseFromParent();
  }
}

void exchange_through_memory(llvm::Function& work_item, unsigned size) { exchange(work_item, size).run(); }

} // namespace sinter::passes
