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

/// Loads entry `index` of a table wherever `value` is used.
void replace_uses(llvm::GlobalValue& value, llvm::GlobalVariable& table, unsigned index) {
  llvm::convertUsersOfConstantsToInstructions({&value});
  auto* pointer = llvm::PointerType::getUnqual(value.getContext());
  llvm::MDNode* invariant = llvm::MDNode::get(value.getContext(), {});
  for (llvm::Use& use : llvm::make_early_inc_range(value.uses())) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user) continue;
    llvm::Instruction* before = user;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) before = phi->getIncomingBlock(use)->getTerminator();
    llvm::IRBuilder<> builder(before);
    // The table is filled before any code of the module runs.
    llvm::LoadInst* base = builder.CreateLoad(pointer, &table);
    llvm::LoadInst* entry = builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, base, index));
    base->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    entry->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    use.set(entry);
  }
}

} // namespace

host_links link_to_host(llvm::Module& module, const std::vector<std::string>& import_names) {
  host_links links;
  for (unsigned i = 0; i < import_names.size(); ++i) {
    llvm::GlobalValue* value = module.getNamedValue(import_names[i]);
    if (!value || !value->isDeclaration() || value->use_empty()) continue;
    if (!links.imports) links.imports = add_table(module, "sinter_imports");
    replace_uses(*value, *links.imports, i);
    value->eraseFromParent();
  }
  // Positions in abi::runtime_functions.
  const char* const runtime[] = {"__sinter_trap", "__sinter_assert_fail"};
  for (unsigned i = 0; i < std::size(runtime); ++i) {
    llvm::Function* function = module.getFunction(runtime[i]);
    if (!function || function->use_empty()) continue;
    for (llvm::User* user : function->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        call->setDoesNotReturn();
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
