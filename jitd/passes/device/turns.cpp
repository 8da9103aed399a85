#include "turns.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {

void take_one_turn(llvm::Module& module) {
  llvm::SmallPtrSet<llvm::Function*, 4> changed;
  for (llvm::StringRef name : {has_turn_name, turn_group_id_name, turn_global_id_name, groups_of_turns_name}) {
    llvm::Function* query = module.getFunction(name);
    if (!query) continue;
    for (llvm::User* user : llvm::make_early_inc_range(query->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != query) continue;
      changed.insert(call->getFunction());
      const bool asks_for_another = name == has_turn_name;
      call->replaceAllUsesWith(asks_for_another ? llvm::ConstantInt::getFalse(module.getContext())
                                                : call->getArgOperand(0));
      call->eraseFromParent();
    }
    if (query->use_empty()) query->eraseFromParent();
  }
  if (changed.empty()) return;
  pass_runner runner;
  for (llvm::Function* function : changed) {
    llvm::FunctionPassManager simplify;
    simplify.addPass(llvm::SimplifyCFGPass());
    simplify.addPass(llvm::InstCombinePass());
    runner.run(*function, std::move(simplify));
  }
}

}  // namespace sinter::passes
