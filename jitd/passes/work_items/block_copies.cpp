#include "block_copies.hpp"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// Whether a copy of a function shares the metadata with the function. This is so for debug information about
/// types and other functions.
bool stays(const llvm::Metadata& metadata, const llvm::DISubprogram* own) {
  if (llvm::isa<llvm::DICompileUnit, llvm::DIType>(metadata)) return true;
  const llvm::Metadata* scope = &metadata;
  if (const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(scope)) scope = variable->getScope();
  if (const auto* label = llvm::dyn_cast_or_null<llvm::DILabel>(scope)) scope = label->getScope();
  const auto* local = llvm::dyn_cast_or_null<llvm::DILocalScope>(scope);
  return local && local->getSubprogram() != own;
}

void copy_front(llvm::ArrayRef<const llvm::Instruction*> front, llvm::ValueToValueMapTy& map, llvm::Function& to) {
  const llvm::BasicBlock& entry = *front.back()->getParent();
  llvm::BasicBlock* made = llvm::BasicBlock::Create(to.getContext(), entry.getName(), &to);
  map[&entry] = made;
  for (const llvm::Instruction* each : front) {
    llvm::Instruction* copy = each->clone();
    copy->insertInto(made, made->end());
    copy->setName(each->getName());
    copy->cloneDebugInfoFrom(each);
    map[each] = copy;
  }
}

}  // namespace

llvm::Function* clone_blocks(const llvm::Function& function, llvm::ArrayRef<const llvm::Instruction*> front,
                             llvm::ArrayRef<const llvm::BasicBlock*> blocks, llvm::ValueToValueMapTy& map) {
  auto* module = const_cast<llvm::Module*>(function.getParent());
  auto* copy = llvm::Function::Create(function.getFunctionType(), function.getLinkage(), function.getAddressSpace(),
                                      function.getName(), module);
  for (const auto& [from, to] : llvm::zip(function.args(), copy->args())) {
    to.setName(from.getName());
    map[&from] = &to;
  }
  const llvm::DISubprogram* own = function.getSubprogram();
  const llvm::MetadataPredicate is_common = [own](const llvm::Metadata* each) { return stays(*each, own); };
  const llvm::RemapFlags flags = own ? llvm::RF_None : llvm::RF_NoModuleLevelChanges;
  llvm::CloneFunctionAttributesInto(copy, &function, map, /*ModuleLevelChanges=*/false);
  llvm::CloneFunctionMetadataInto(*copy, function, map, flags, nullptr, nullptr, &is_common);
  copy_front(front, map, *copy);
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> copied{&function.getEntryBlock()};
  for (const llvm::BasicBlock* block : blocks) {
    map[block] = llvm::CloneBasicBlock(block, map, "", copy);
    copied.insert(block);
  }
  const llvm::RemapFlags ignoring = flags | llvm::RF_IgnoreMissingLocals;
  llvm::SmallVector<llvm::PHINode*, 8> shorter;
  for (llvm::BasicBlock& block : *copy) {
    for (llvm::PHINode& phi : block.phis()) {
      const unsigned ways = phi.getNumIncomingValues();
      phi.removeIncomingValueIf([&](unsigned i) { return !copied.contains(phi.getIncomingBlock(i)); },
                                /*DeletePHIIfEmpty=*/false);
      if (phi.getNumIncomingValues() < ways) shorter.push_back(&phi);
    }
    for (llvm::Instruction& each : block) {
      llvm::RemapInstruction(&each, map, ignoring, nullptr, nullptr, &is_common);
      llvm::RemapDbgRecordRange(module, each.getDbgRecordRange(), map, ignoring, nullptr, nullptr, &is_common);
    }
  }
  for (llvm::PHINode* phi : shorter) {
    llvm::Value* only = phi->hasConstantValue();
    if (!only) continue;
    phi->replaceAllUsesWith(only);
    phi->eraseFromParent();
  }
  return copy;
}

}  // namespace sinter::passes
