#include "address_spaces.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::jit::spirv {
namespace {

/// Turns pointers of address space 0 into generic pointers, also in structures.
class generic_types final : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type* remapType(llvm::Type* type) override {
    if (auto* pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
      return pointer->getAddressSpace() == 0 ? llvm::PointerType::get(type->getContext(), generic_space) : type;
    }
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    }
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      return llvm::FixedVectorType::get(remapType(vector->getElementType()), vector->getNumElements());
    }
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return remap(*structure);
    return type;
  }

  /// Maps a function's type. Arguments by value keep their address space.
  llvm::FunctionType* remap(const llvm::Function& function) {
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (const llvm::Argument& each : function.args()) {
      parameters.push_back(each.hasByValAttr() ? each.getType() : remapType(each.getType()));
    }
    return llvm::FunctionType::get(remapType(function.getReturnType()), parameters, function.isVarArg());
  }

private:
  llvm::Type* remap(llvm::StructType& structure) {
    if (structure.isOpaque()) return &structure;
    llvm::Type*& known = m_structures[&structure];
    if (known) return known;
    llvm::SmallVector<llvm::Type*, 8> elements;
    bool changed = false;
    for (llvm::Type* element : structure.elements()) {
      elements.push_back(remapType(element));
      changed |= elements.back() != element;
    }
    llvm::Type* result = &structure;
    if (changed) result = llvm::StructType::get(structure.getContext(), elements, structure.isPacked());
    return m_structures[&structure] = result;
  }

  llvm::DenseMap<llvm::StructType*, llvm::Type*> m_structures;
};

class space_naming {
public:
  explicit space_naming(llvm::Module& module) : m_module(module) {}

  llvm::Function* run(llvm::Function& entry) {
    erase_lifetimes();
    copy_variables();
    llvm::SmallVector<llvm::Function*, 16> functions;
    for (llvm::Function& function : m_module) functions.push_back(&function);
    for (llvm::Function* function : functions) declare(*function);
    for (auto [variable, copy] : m_variables) {
      if (variable->hasInitializer()) {
        copy->setInitializer(llvm::MapValue(variable->getInitializer(), m_map, llvm::RF_None, &m_types));
      }
    }
    llvm::Function* result = m_functions[&entry];
    for (llvm::Function* function : functions) {
      if (!function->isDeclaration()) define(*function);
    }
    llvm::erase_if(functions, [&](llvm::Function* each) { return m_functions[each] == each; });
    for (llvm::Function* function : functions) function->dropAllReferences();
    for (llvm::Function* function : functions) {
      llvm::Function* made = m_functions[function];
      const std::string name = function->getName().str();
      const bool is_intrinsic = function->isIntrinsic();
      function->replaceAllUsesWith(llvm::PoisonValue::get(function->getType()));
      function->eraseFromParent();
      if (!is_intrinsic) made->setName(name);
    }
    for (auto [variable, copy] : m_variables) {
      variable->replaceAllUsesWith(llvm::PoisonValue::get(variable->getType()));
      variable->eraseFromParent();
    }
    return result;
  }

private:
  void erase_lifetimes() {
    for (llvm::Function& function : m_module) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
        if (instruction.isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
          instruction.eraseFromParent();
        }
      }
    }
  }

  void copy_variables() {
    llvm::SmallVector<llvm::GlobalVariable*, 16> variables;
    for (llvm::GlobalVariable& variable : m_module.globals()) {
      if (variable.getAddressSpace() == 0) variables.push_back(&variable);
    }
    for (llvm::GlobalVariable* variable : variables) {
      auto* copy = new llvm::GlobalVariable(
          m_module, m_types.remapType(variable->getValueType()), variable->isConstant(), variable->getLinkage(),
          nullptr, variable->getName() + ".global", nullptr, llvm::GlobalValue::NotThreadLocal, global_space);
      copy->setAlignment(variable->getAlign());
      m_variables.push_back({variable, copy});
      m_map[variable] =
          llvm::ConstantExpr::getAddrSpaceCast(copy, llvm::PointerType::get(m_module.getContext(), generic_space));
    }
  }

  void declare(llvm::Function& function) {
    llvm::FunctionType* type = m_types.remap(function);
    llvm::Function* made = nullptr;
    if (function.isIntrinsic()) {
      made = intrinsic(function, type);
    } else {
      made = llvm::Function::Create(type, function.getLinkage(), "", m_module);
      made->copyAttributesFrom(&function);
    }
    m_functions[&function] = made;
    m_map[&function] = made;
  }

  /// Returns the intrinsic for the new types, which are a part of its name.
  llvm::Function* intrinsic(llvm::Function& function, llvm::FunctionType* type) {
    if (type == function.getFunctionType()) return &function;
    llvm::Function* copy = llvm::Function::Create(type, function.getLinkage(), "", m_module);
    const std::string name = function.getName().str();
    function.setName(name + ".old");
    copy->setName(name);
    copy->copyAttributesFrom(&function);
    if (const std::optional<llvm::Function*> renamed = llvm::Intrinsic::remangleIntrinsicFunction(copy)) {
      if (*renamed != copy) {
        copy->eraseFromParent();
        return *renamed;
      }
    }
    return copy;
  }

  void define(llvm::Function& function) {
    llvm::Function& made = *m_functions[&function];
    auto argument = made.arg_begin();
    for (llvm::Argument& each : function.args()) {
      argument->setName(each.getName());
      m_map[&each] = &*argument++;
    }
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(&made, &function, m_map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns, "",
                            nullptr, &m_types);
    cast_private(made);
  }

  void cast_private(llvm::Function& function) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    llvm::Type* generic = builder.getPtrTy(generic_space);
    for (llvm::Argument& each : function.args()) {
      if (!each.hasByValAttr() || each.use_empty()) continue;
      llvm::SmallVector<llvm::Use*, 8> uses;
      for (llvm::Use& use : each.uses()) uses.push_back(&use);
      llvm::Value* cast = builder.CreateAddrSpaceCast(&each, generic);
      for (llvm::Use* use : uses) use->set(cast);
    }
    llvm::SmallVector<llvm::AllocaInst*, 16> memories;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) memories.push_back(memory);
    }
    for (llvm::AllocaInst* memory : memories) {
      builder.SetInsertPoint(memory);
      auto* own = builder.Insert(
          new llvm::AllocaInst(memory->getAllocatedType(), private_space, memory->getArraySize(), memory->getAlign()));
      own->takeName(memory);
      memory->replaceAllUsesWith(builder.CreateAddrSpaceCast(own, generic));
      memory->eraseFromParent();
    }
  }

  llvm::Module& m_module;
  generic_types m_types;
  llvm::ValueToValueMapTy m_map;
  llvm::SmallVector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>, 16> m_variables;
  llvm::DenseMap<llvm::Function*, llvm::Function*> m_functions;
};

}  // namespace

llvm::Function* name_address_spaces(llvm::Module& module, llvm::Function& entry) {
  return space_naming(module).run(entry);
}

}  // namespace sinter::jit::spirv
