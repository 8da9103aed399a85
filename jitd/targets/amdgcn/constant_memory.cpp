#include "constant_memory.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "targets/gpu/dialect.hpp"

namespace sinter::jit::amdgcn {

llvm::PreservedAnalyses constant_memory::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.getAddressSpace() != gpu::generic_space || variable.isDeclaration()) continue;
    auto* moved = new llvm::GlobalVariable(module, variable.getValueType(), variable.isConstant(),
                                           variable.getLinkage(), variable.getInitializer(), "", &variable,
                                           llvm::GlobalValue::NotThreadLocal,
                                           variable.isConstant() ? m_space : gpu::global_space);
    moved->copyAttributesFrom(&variable);
    moved->takeName(&variable);
    variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, variable.getType()));
    variable.eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace sinter::jit::amdgcn
