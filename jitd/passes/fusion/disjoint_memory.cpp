#include "disjoint_memory.hpp"

#include <map>
#include <set>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::passes {

void mark_disjoint_memory(llvm::Function& fused, const std::vector<argument_space>& arguments) {
  std::map<const llvm::Value*, unsigned> space_of;
  std::map<unsigned, llvm::MDNode*> scopes;
  llvm::MDBuilder builder(fused.getContext());
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain("sinter.memory");
  for (const argument_space& argument : arguments) {
    if (!argument.pointer || argument.space == 0) continue;
    space_of[argument.pointer] = argument.space;
    llvm::MDNode*& scope = scopes[argument.space];
    if (!scope) scope = builder.createAnonymousAliasScope(domain);
  }
  if (scopes.size() < 2) return;
  for (llvm::Instruction& instruction : llvm::instructions(fused)) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address) continue;
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    std::set<unsigned> spaces;
    bool known = true;
    for (const llvm::Value* object : objects) {
      auto found = space_of.find(object);
      known &= found != space_of.end();
      if (known) spaces.insert(found->second);
    }
    if (!known) continue;
    llvm::SmallVector<llvm::Metadata*, 8> own, others;
    for (const auto& [space, scope] : scopes) (spaces.contains(space) ? own : others).push_back(scope);
    auto add = [&](unsigned kind, llvm::ArrayRef<llvm::Metadata*> list) {
      llvm::MDNode* node = llvm::MDNode::get(fused.getContext(), list);
      instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), node));
    };
    add(llvm::LLVMContext::MD_alias_scope, own);
    add(llvm::LLVMContext::MD_noalias, others);
  }
}

} // namespace sinter::passes
