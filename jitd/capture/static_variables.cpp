#include "static_variables.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::capture {
namespace {

/// Whether the type is the class in sycl/ext/oneapi/work_group_static.hpp.
bool is_work_group_static(const llvm::Type* of) {
  const auto* type = llvm::dyn_cast<llvm::StructType>(of);
  return type && type->hasName() &&
         type->getName().starts_with("class.sycl::_V1::ext::oneapi::experimental::work_group_static");
}

/// Removes markers of lifetimes and debug information. Only memory of the stack has lifetimes, and a debugger would
/// look for the variable on the stack.
void forget_lifetime(llvm::AllocaInst& variable) {
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    if (auto* marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) marker->eraseFromParent();
  }
  for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&variable)) record->eraseFromParent();
}

}  // namespace

bool make_group_variables_static(llvm::Module& host) {
  bool changed = false;
  for (llvm::GlobalVariable& variable : host.globals()) {
    if (!is_work_group_static(variable.getValueType()) || !variable.hasInitializer()) continue;
    variable.setConstant(true);
    changed = true;
  }
  for (llvm::Function& function : host) {
    llvm::SmallVector<llvm::AllocaInst*, 4> variables;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (variable && is_work_group_static(variable->getAllocatedType())) variables.push_back(variable);
    }
    for (llvm::AllocaInst* variable : variables) {
      llvm::Type* const type = variable->getAllocatedType();
      auto* place = new llvm::GlobalVariable(host, type, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                             llvm::Constant::getNullValue(type), "sinter_work_group_static");
      forget_lifetime(*variable);
      variable->replaceAllUsesWith(place);
      variable->eraseFromParent();
      changed = true;
    }
  }
  return changed;
}

}  // namespace sinter::capture
