#include "whole_groups.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device/work_item_function.hpp"
#include "row_bounds.hpp"

namespace sinter::passes {
namespace {

llvm::Function* clone_of(llvm::Function& function) {
  llvm::ValueToValueMapTy map;
  // Copied accesses stay in their access groups, so that loops over work-items remain parallel.
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      llvm::MDNode* group = instruction.getMetadata(llvm::LLVMContext::MD_access_group);
      if (group) map.MD()[group].reset(group);
    }
  }
  return llvm::CloneFunction(&function, map);
}

/// Emits a test. The test is true if all work-items of the group are in [first, end), so that all work-items pass the
/// guard.
llvm::Value* passes_as_a_whole(llvm::IRBuilder<>& builder, llvm::Function& function, llvm::CallInst& bounds) {
  llvm::Value* count = function.getArg(parameter_local_range + 2);
  llvm::Value* first = builder.CreateNUWAdd(builder.CreateNUWMul(function.getArg(parameter_group_id + 2), count),
                                            function.getArg(parameter_global_offset + 2));
  llvm::Value* from = builder.CreateICmpUGE(first, builder.CreateExtractValue(&bounds, 0));
  llvm::Value* to = builder.CreateICmpULE(builder.CreateNUWAdd(first, count), builder.CreateExtractValue(&bounds, 1));
  return builder.CreateAnd(from, to);
}

}  // namespace

llvm::Function* set_whole_groups_apart(llvm::Function& work_item, bool narrow_ids) {
  llvm::Function* whole = clone_of(work_item);
  llvm::Function* bounds = cut_rows(*whole, narrow_ids, /*in_flat_range=*/false);
  if (!bounds) {
    whole->eraseFromParent();
    return nullptr;
  }
  llvm::Function* any = clone_of(work_item);
  llvm::Function* both = clone_of(work_item);
  both->deleteBody();
  both->setLinkage(work_item.getLinkage());
  llvm::LLVMContext& context = both->getContext();
  llvm::BasicBlock* blocks[3];
  for (llvm::BasicBlock*& block : blocks) block = llvm::BasicBlock::Create(context, "", both);
  llvm::IRBuilder<> builder(blocks[0]);
  llvm::SmallVector<llvm::Value*, 16> asked, all;
  for (const unsigned number : row_bound_parameters()) asked.push_back(both->getArg(number));
  for (llvm::Argument& argument : both->args()) all.push_back(&argument);
  llvm::CallInst* question = builder.CreateCall(bounds, asked);
  builder.CreateCondBr(passes_as_a_whole(builder, *both, *question), blocks[1], blocks[2]);
  llvm::SmallVector<llvm::CallInst*, 3> calls{question};
  for (unsigned i : {1u, 2u}) {
    builder.SetInsertPoint(blocks[i]);
    calls.push_back(builder.CreateCall(i == 1 ? whole : any, all));
    builder.CreateRet(calls.back());
  }
  for (llvm::CallInst* call : calls) {
    llvm::Function* callee = call->getCalledFunction();
    llvm::InlineFunctionInfo information;
    llvm::InlineFunction(*call, information);
    callee->eraseFromParent();
  }
  return both;
}

}  // namespace sinter::passes
