#include "virtual_tables.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace sinter::passes {
namespace {

/// Whether a function without a body could read the type of an object that is passed to it. Functions of the C library
/// don't.
bool may_ask_for_types(const llvm::Function& callee) {
  const llvm::StringRef name = callee.getName();
  if (callee.isIntrinsic()) {
    return name.starts_with("llvm.load.relative") || name.starts_with("llvm.type.checked.load");
  }
  // Code of other files is checked once it is linked.
  if (!callee.isDeclaration() || name.starts_with(abi::device_symbol_prefix) ||
      callee.hasFnAttribute("sinter.external")) {
    return false;
  }
  if (llvm::none_of(callee.args(), [](const llvm::Argument& each) { return each.getType()->isPointerTy(); }))
    return false;
  // The C library's functions have equal names on all machines with Linux.
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple("x86_64-unknown-linux-gnu")};
  llvm::LibFunc known;
  return !library.getLibFunc(name, known);
}

/// All values that the kernel reaches without reading virtual tables. `tables` has the virtual tables among these
/// values.
struct reached_values {
  llvm::SmallSetVector<llvm::Constant*, 32> all;
  llvm::SmallVector<llvm::GlobalVariable*, 8> tables;

  explicit reached_values(llvm::Function& kernel) {
    all.insert(&kernel);
    for (std::size_t at = 0; at < all.size(); ++at) {
      llvm::Constant* value = all[at];
      if (auto* function = llvm::dyn_cast<llvm::Function>(value)) {
        for (llvm::Instruction& instruction : llvm::instructions(*function)) add_operands(instruction);
      } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
                 variable && is_virtual_table(*variable)) {
        tables.push_back(variable);
        continue;
      }
      add_operands(*value);
    }
  }

private:
  void add_operands(llvm::User& user) {
    for (llvm::Use& operand : user.operands()) {
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get())) all.insert(constant);
    }
  }
};

llvm::Constant* without_slots(llvm::Constant& table) {
  if (table.getType()->isPointerTy()) {
    return llvm::isa<llvm::GlobalValue>(table.stripPointerCasts()) ? llvm::Constant::getNullValue(table.getType())
                                                                   : &table;
  }
  llvm::SmallVector<llvm::Constant*, 8> elements;
  for (llvm::Use& operand : table.operands())
    elements.push_back(without_slots(*llvm::cast<llvm::Constant>(operand.get())));
  if (auto* type = llvm::dyn_cast<llvm::StructType>(table.getType()); type && llvm::isa<llvm::ConstantStruct>(table)) {
    return llvm::ConstantStruct::get(type, elements);
  }
  if (auto* type = llvm::dyn_cast<llvm::ArrayType>(table.getType()); type && llvm::isa<llvm::ConstantArray>(table)) {
    return llvm::ConstantArray::get(type, elements);
  }
  return &table;
}

}  // namespace

bool is_virtual_table(const llvm::GlobalVariable& variable) {
  const llvm::StringRef name = variable.getName();
  return variable.isConstant() && variable.hasInitializer() && (name.starts_with("_ZTV") || name.starts_with("_ZTC"));
}

bool may_read_slots(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
    return !callee || may_ask_for_types(*callee);
  }
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->getType()->isPointerTy()) return false;
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const llvm::Value* address = load->getPointerOperand();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  const llvm::Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) return is_virtual_table(*variable);
  return !llvm::isa<llvm::AllocaInst>(base) &&
         offset.getSExtValue() == -static_cast<std::int64_t>(layout.getPointerSize());
}

void drop_unread_slots(llvm::Function& kernel) {
  const reached_values reached(kernel);
  if (reached.tables.empty()) return;
  for (const llvm::Constant* value : reached.all) {
    const auto* function = llvm::dyn_cast<llvm::Function>(value);
    if (function && llvm::any_of(llvm::instructions(*function), may_read_slots)) return;
  }
  for (llvm::GlobalVariable* table : reached.tables) table->setInitializer(without_slots(*table->getInitializer()));
}

}  // namespace sinter::passes
