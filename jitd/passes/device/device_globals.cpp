#include "device_globals.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"

namespace sinter::passes {
namespace {

/// Returns the function that gives device code the address of a device_global. The address is constant during a launch,
/// so passes may move calls of the function.
llvm::FunctionCallee address_function(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      device_global_symbol,
      llvm::FunctionType::get(llvm::PointerType::getUnqual(context), {llvm::Type::getInt32Ty(context)}, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return callee;
}

/// Replaces uses of the variable with calls that return its address. Returns false if no instruction uses the variable.
bool replace_uses(llvm::GlobalVariable& variable, std::uint32_t number) {
  llvm::MapVector<llvm::Function*, llvm::Value*> addresses;
  for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user) continue;
    llvm::Function& function = *user->getFunction();
    llvm::Value*& address = addresses[&function];
    if (!address) {
      llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
      address = builder.CreateCall(address_function(*variable.getParent()), {builder.getInt32(number)});
    }
    use.set(address);
  }
  return !addresses.empty();
}

}  // namespace

std::vector<std::uint32_t> number_device_globals(llvm::Module& module, llvm::ArrayRef<std::string> imports) {
  std::vector<std::uint32_t> places;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasAttribute(abi::device_global_attribute)) continue;
    const auto* place = llvm::find(imports, variable.getName());
    if (place == imports.end()) continue;
    llvm::convertUsersOfConstantsToInstructions({&variable});
    if (!replace_uses(variable, static_cast<std::uint32_t>(places.size()))) continue;
    places.push_back(static_cast<std::uint32_t>(place - imports.begin()));
  }
  return places;
}

const llvm::GlobalVariable* find_device_global(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasAttribute(abi::device_global_attribute) && !variable.use_empty()) return &variable;
  }
  return nullptr;
}

}  // namespace sinter::passes
