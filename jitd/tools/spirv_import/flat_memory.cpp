#include "flat_memory.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "passes/llvm_versions.hpp"

namespace sinter::import {
namespace {

class flat_types final : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type* remapType(llvm::Type* type) override {
    if (const auto known = m_known.find(type); known != m_known.end()) return known->second;
    llvm::Type* made = make(type);
    m_known[type] = made;
    return made;
  }

private:
  llvm::Type* make(llvm::Type* type) {
    llvm::LLVMContext& context = type->getContext();
    if (type->isPointerTy()) return llvm::PointerType::get(context, 0);
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    }
    if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
      return llvm::VectorType::get(remapType(vector->getElementType()), vector->getElementCount());
    }
    llvm::SmallVector<llvm::Type*, 8> parts;
    bool changes = false;
    for (llvm::Type* part : type->subtypes()) {
      parts.push_back(remapType(part));
      changes |= parts.back() != part;
    }
    if (!changes) return type;
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      return llvm::StructType::get(context, parts, structure->isPacked());
    }
    if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) {
      return llvm::FunctionType::get(parts[0], llvm::ArrayRef(parts).drop_front(), function->isVarArg());
    }
    return type;
  }

  llvm::DenseMap<llvm::Type*, llvm::Type*> m_known;
};

bool casts_spaces(const llvm::Constant& value) {
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&value);
      expression && expression->getOpcode() == llvm::Instruction::AddrSpaceCast) {
    return true;
  }
  return llvm::any_of(value.operands(), [](const llvm::Use& operand) {
    const auto* part = llvm::dyn_cast<llvm::Constant>(operand.get());
    return part && !llvm::isa<llvm::GlobalValue>(part) && casts_spaces(*part);
  });
}

/// Repairs casts, scopes and names of intrinsics after the address spaces are gone.
void mend(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isIntrinsic()) continue;
    if (std::optional<llvm::Function*> named = llvm::Intrinsic::remangleIntrinsicFunction(&function)) {
      function.replaceAllUsesWith(*named);
      function.eraseFromParent();
    }
  }
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (llvm::isa<llvm::AddrSpaceCastInst>(instruction)) {
        instruction.replaceAllUsesWith(instruction.getOperand(0));
        instruction.eraseFromParent();
      } else if (instruction.isAtomic()) {
        llvm::setAtomicSyncScopeID(&instruction, llvm::SyncScope::System);
      }
    }
  }
}

}  // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> flatten_memory(llvm::Module& module) {
  llvm::StripDebugInfo(module);
  auto flat = std::make_unique<llvm::Module>("sinter.device", module.getContext());
  flat_types types;
  llvm::ValueToValueMapTy values;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.use_empty()) continue;
    if (variable.hasInitializer() && casts_spaces(*variable.getInitializer())) {
      return llvm::createStringError("constant '" + variable.getName() + "' has pointers to other address spaces");
    }
    auto* made = new llvm::GlobalVariable(*flat, types.remapType(variable.getValueType()), variable.isConstant(),
                                          variable.getLinkage(), nullptr, variable.getName());
    made->setAlignment(variable.getAlign());
    values[&variable] = made;
  }
  for (llvm::Function& function : module) {
    auto* type = llvm::cast<llvm::FunctionType>(types.remapType(function.getFunctionType()));
    auto* made = llvm::Function::Create(type, function.getLinkage(), function.getName(), *flat);
    made->copyAttributesFrom(&function);
    values[&function] = made;
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.use_empty() || !variable.hasInitializer()) continue;
    llvm::cast<llvm::GlobalVariable>(values[&variable])
        ->setInitializer(llvm::MapValue(variable.getInitializer(), values, llvm::RF_None, &types));
  }
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.clearMetadata();
    auto* made = llvm::cast<llvm::Function>(values[&function]);
    auto argument = made->arg_begin();
    for (llvm::Argument& each : function.args()) values[&each] = &*argument++;
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(made, &function, values, llvm::CloneFunctionChangeType::DifferentModule, returns, "",
                            nullptr, &types);
  }
  mend(*flat);
  return flat;
}

}  // namespace sinter::import
