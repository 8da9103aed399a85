#include "followed_prefetches.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "work_item_function.hpp"

namespace sinter::passes {
namespace {

bool is_own_id(const llvm::Argument& argument) {
  const unsigned number = argument.getArgNo();
  return number < parameter_group_id ? number >= parameter_global_id : number == parameter_item;
}

/// Whether the address differs between work-items and is computed from ids, counters and arguments alone.
bool is_followed(llvm::Value* address) {
  bool has_id = false;
  llvm::SmallPtrSet<llvm::Value*, 32> seen;
  llvm::SmallVector<llvm::Value*, 32> work{address};
  while (!work.empty()) {
    llvm::Value* each = work.pop_back_val();
    if (!seen.insert(each).second) continue;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(each)) {
      has_id |= is_own_id(*argument);
      continue;
    }
    auto* made = llvm::dyn_cast<llvm::Instruction>(each);
    if (!made) continue;
    if (llvm::isa<llvm::LoadInst>(made)) {
      if (!made->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    } else if (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::PHINode>(made)) {
      work.append(made->op_begin(), made->op_end());
    } else {
      return false;
    }
  }
  return has_id;
}

}  // namespace

void drop_followed_prefetches(llvm::Function& work_item) {
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(work_item))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::prefetch && is_followed(call->getArgOperand(0)))
      call->eraseFromParent();
  }
}

}  // namespace sinter::passes
