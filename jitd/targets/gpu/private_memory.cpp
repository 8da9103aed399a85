#include "private_memory.hpp"

#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::jit::gpu {
namespace {

void move(llvm::AllocaInst& variable, unsigned space) {
  llvm::IRBuilder<> builder(&variable);
  llvm::AllocaInst* moved = builder.CreateAlloca(variable.getAllocatedType(), space, variable.getArraySize());
  moved->setAlignment(variable.getAlign());
  moved->takeName(&variable);
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    auto* lifetime = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user);
    if (!lifetime) continue;
    builder.SetInsertPoint(lifetime);
    if (lifetime->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
      builder.CreateLifetimeStart(moved);
    } else {
      builder.CreateLifetimeEnd(moved);
    }
    lifetime->eraseFromParent();
  }
  builder.SetInsertPoint(&variable);
  if (!variable.use_empty()) variable.replaceAllUsesWith(builder.CreateAddrSpaceCast(moved, variable.getType()));
  variable.eraseFromParent();
}

}  // namespace

void set_generic_target(llvm::Module& module, const llvm::TargetMachine& machine) {
  const llvm::DataLayout layout = machine.createDataLayout();
  if (layout.getAllocaAddrSpace() == 0) return name_private_memory(module, machine);
  std::string text;
  for (llvm::StringRef word : llvm::split(layout.getStringRepresentation(), '-')) {
    // Copies a data layout without the entries for the address spaces of allocas (A) and of globals (G).
    if (!word.starts_with("A") && !word.starts_with("G")) text += (text.empty() ? "" : "-") + word.str();
  }
  module.setTargetTriple(llvm::Triple());
  module.setDataLayout(text);
}

void name_private_memory(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  const unsigned space = module.getDataLayout().getAllocaAddrSpace();
  if (space == 0) return;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (variable && variable->getAddressSpace() == 0) variables.push_back(variable);
    }
  }
  for (llvm::AllocaInst* each : variables) move(*each, space);
}

}  // namespace sinter::jit::gpu
