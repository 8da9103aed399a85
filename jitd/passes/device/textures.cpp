#include "textures.hpp"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/called_names.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

llvm::SmallVector<llvm::CallInst*, 8> texture_calls(llvm::Module& module, bool of_units) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() || !function.getName().starts_with(texture_prefix)) continue;
    if ((function.getName() == texture_units_name) != of_units) continue;
    for (llvm::User* user : function.users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) calls.push_back(call);
    }
  }
  return calls;
}

void answer(llvm::Module& module, bool has_units) {
  llvm::SmallSetVector<llvm::Function*, 4> changed;
  for (llvm::CallInst* call : texture_calls(module, /*of_units=*/true)) {
    changed.insert(call->getFunction());
    call->replaceAllUsesWith(llvm::ConstantInt::getBool(call->getType(), has_units));
    call->eraseFromParent();
  }
  pass_runner runner;
  for (llvm::Function* function : changed) {
    llvm::FunctionPassManager simplify;
    simplify.addPass(llvm::SimplifyCFGPass());
    simplify.addPass(llvm::InstCombinePass());
    simplify.addPass(llvm::SimplifyCFGPass());
    runner.run(*function, std::move(simplify));
  }
}

}  // namespace

void forget_textures(llvm::Module& module) {
  answer(module, false);
  // Code that was not simplified still has calls, which never run.
  for (llvm::CallInst* call : texture_calls(module, /*of_units=*/false)) {
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
    call->eraseFromParent();
  }
}

void lower_textures(llvm::Module& module, llvm::function_ref<llvm::Value*(llvm::CallInst&)> lower) {
  answer(module, true);
  for (llvm::CallInst* call : texture_calls(module, /*of_units=*/false)) {
    if (llvm::Value* result = lower(*call)) call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

}  // namespace sinter::passes
