#include "host_links.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"

namespace sinter::passes {
namespace {

llvm::GlobalVariable* add_table(llvm::Module& module, const char* name) {
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  return new llvm::GlobalVariable(module, pointer, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantPointerNull::get(pointer), name);
}

/// Replaces each use of `value` by a load of entry `index` of a table.
void replace_uses(llvm::GlobalValue& value, llvm::GlobalVariable& table, unsigned index) {
  llvm::convertUsersOfConstantsToInstructions({&value});
  auto* pointer = llvm::PointerType::getUnqual(value.getContext());
  llvm::MDNode* invariant = llvm::MDNode::get(value.getContext(), {});
  llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> at_end;  // a phi needs the same value for all edges from one block
  for (llvm::Use& use : llvm::make_early_inc_range(value.uses())) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user) continue;
    llvm::Instruction* before = user;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) before = phi->getIncomingBlock(use)->getTerminator();
    const bool is_phi = before != user;
    if (llvm::Value* known = is_phi ? at_end.lookup(before->getParent()) : nullptr) {
      use.set(known);
      continue;
    }
    llvm::IRBuilder<> builder(before);
    // The table is filled before any code of the module runs.
    llvm::LoadInst* base = builder.CreateLoad(pointer, &table);
    llvm::LoadInst* entry = builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, base, index));
    base->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    entry->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    use.set(entry);
    if (is_phi) at_end[before->getParent()] = entry;
  }
}

/// Returns a copy of `constant` in which imports are replaced by null. Emits code that stores the imports to the
/// constant's `address`.
llvm::Constant* without_imports(llvm::Constant* constant, const llvm::SmallPtrSetImpl<llvm::Value*>& imports,
                                llvm::IRBuilder<>& builder, llvm::Value* address) {
  auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(constant);
  if (!aggregate) {
    llvm::SmallVector<llvm::Value*, 4> work{constant};
    while (!work.empty()) {
      llvm::Value* part = work.pop_back_val();
      if (imports.contains(part)) {
        builder.CreateStore(constant, address);
        return llvm::Constant::getNullValue(constant->getType());
      }
      // Other global variables are not followed, because fill_initialisers visits each variable.
      if (llvm::isa<llvm::ConstantExpr>(part))
        llvm::append_range(work, llvm::cast<llvm::ConstantExpr>(part)->operands());
    }
    return constant;
  }
  llvm::SmallVector<llvm::Constant*, 16> elements;
  bool changed = false;
  for (unsigned i = 0; i < aggregate->getNumOperands(); ++i) {
    auto* element = llvm::cast<llvm::Constant>(aggregate->getOperand(i));
    llvm::Value* place = builder.CreateConstInBoundsGEP2_32(aggregate->getType(), address, 0, i);
    elements.push_back(without_imports(element, imports, builder, place));
    changed |= elements.back() != element;
  }
  if (!changed) return constant;
  if (auto* type = llvm::dyn_cast<llvm::ArrayType>(constant->getType()))
    return llvm::ConstantArray::get(type, elements);
  if (auto* type = llvm::dyn_cast<llvm::StructType>(constant->getType()))
    return llvm::ConstantStruct::get(type, elements);
  return llvm::ConstantVector::get(elements);
}

/// Addresses in the host process are known only when the code runs, so each entry stores these addresses to variables
/// at its start. Threads may do this at the same time, because all threads write the same values.
void fill_initialisers(llvm::Module& module, const llvm::SmallPtrSetImpl<llvm::Value*>& imports) {
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false),
                                          llvm::GlobalValue::InternalLinkage, "sinter.fill_constants", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasInitializer()) continue;
    llvm::Constant* old = variable.getInitializer();
    llvm::Constant* replacement = without_imports(old, imports, builder, &variable);
    if (replacement == old) continue;
    variable.setInitializer(replacement);
    variable.setConstant(false);
  }
  bool needed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(function->getEntryBlock())) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      store->setAtomic(llvm::AtomicOrdering::Unordered);
      needed = true;
    } else if (instruction.use_empty()) {
      instruction.eraseFromParent();
    }
  }
  if (!needed) return function->eraseFromParent();
  builder.CreateRetVoid();
  for (llvm::Function& entry : module) {
    if (entry.isDeclaration() || entry.hasLocalLinkage()) continue;
    llvm::IRBuilder<>(&*entry.getEntryBlock().getFirstInsertionPt()).CreateCall(function);
  }
}

} // namespace

host_links link_to_host(llvm::Module& module, const std::vector<std::string>& import_names) {
  host_links links;
  llvm::SmallPtrSet<llvm::Value*, 16> imported;
  for (const std::string& name : import_names) {
    llvm::GlobalValue* value = module.getNamedValue(name);
    if (value && value->isDeclaration()) imported.insert(value);
  }
  if (!imported.empty()) fill_initialisers(module, imported);
  for (unsigned i = 0; i < import_names.size(); ++i) {
    llvm::GlobalValue* value = module.getNamedValue(import_names[i]);
    if (!value || !value->isDeclaration() || value->use_empty()) continue;
    if (!links.imports) links.imports = add_table(module, "sinter_imports");
    replace_uses(*value, *links.imports, i);
    value->eraseFromParent();
  }
  // These names are in the order of the members of abi::runtime_functions.
  const char* const runtime[] = {"__sinter_trap", "__sinter_assert_fail", "__sinter_check_work_item",
                                 "__sinter_check_resume", "__sinter_check_access"};
  constexpr unsigned first_check = 2;
  for (unsigned i = 0; i < std::size(runtime); ++i) {
    llvm::Function* function = module.getFunction(runtime[i]);
    if (!function || function->use_empty()) continue;
    for (llvm::User* user : function->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        if (i < first_check) call->setDoesNotReturn();
        call->setDoesNotThrow();
      }
    }
    if (!links.runtime) links.runtime = add_table(module, "sinter_runtime");
    replace_uses(*function, *links.runtime, i);
    function->eraseFromParent();
  }
  return links;
}

} // namespace sinter::passes
