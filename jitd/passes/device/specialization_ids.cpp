#include "specialization_ids.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {
namespace {

constexpr llvm::StringRef id_prefix = "_Z20__spirv_SpecConstanti";

/// A builtin function of LLVM's SPIR-V target. The function returns the value that the driver set for a given number,
/// or a default.
llvm::Function& reader_of_units(llvm::Module& module, llvm::IntegerType& type) {
  const unsigned bits = type.getBitWidth();
  const char* letter = bits == 64 ? "l" : bits == 32 ? "i" : bits == 16 ? "s" : "c";
  auto* number = llvm::Type::getInt32Ty(module.getContext());
  llvm::FunctionCallee found = module.getOrInsertFunction((id_prefix + letter).str(), &type, number, &type);
  auto& function = llvm::cast<llvm::Function>(*found.getCallee());
  function.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function.setMemoryEffects(llvm::MemoryEffects::none());
  for (const auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::Speculatable}) {
    function.addFnAttr(kind);
  }
  return function;
}

/// Makes an array with the constant's bytes, in the function that uses the constant.
llvm::Value* make_array(llvm::Function& function, std::uint64_t bytes, std::uint32_t first_number) {
  llvm::Module& module = *function.getParent();
  const std::uint64_t unit = abi::specialization_unit(bytes);
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  auto& type = *builder.getIntNTy(static_cast<unsigned>(8 * unit));
  llvm::AllocaInst* array = builder.CreateAlloca(llvm::ArrayType::get(&type, bytes / unit), nullptr, "specialized");
  array->setAlignment(llvm::Align(16));
  llvm::Function& reader = reader_of_units(module, type);
  for (std::uint64_t i = 0; i < bytes / unit; ++i) {
    llvm::CallInst* value =
        builder.CreateCall(&reader, {builder.getInt32(first_number + static_cast<std::uint32_t>(i)),
                                     llvm::ConstantInt::get(&type, 0)});
    value->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(&type, array, i));
  }
  return array;
}

}  // namespace

void name_specialization_constants(llvm::Module& module, const abi::specialization_table& constants) {
  llvm::Function* asked = module.getFunction(abi::specialization_symbol);
  if (!asked || !asked->isDeclaration()) return;
  for (llvm::User* user : llvm::make_early_inc_range(asked->users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const auto* key = call ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1)) : nullptr;
    if (!key) continue;
    llvm::Value* value = call->getArgOperand(2);
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < constants.count; ++i) {
      const abi::specialization_table::entry& entry = constants.entries[i];
      if (entry.key == key->getZExtValue()) value = make_array(*call->getFunction(), entry.size, number);
      number += static_cast<std::uint32_t>(entry.size / abi::specialization_unit(entry.size));
    }
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
  if (asked->use_empty()) asked->eraseFromParent();
}

llvm::Error join_specialization_ids(llvm::Function& kernel) {
  llvm::MapVector<llvm::Value*, llvm::SmallVector<llvm::CallInst*, 4>> calls;
  for (llvm::Function& function : *kernel.getParent()) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
      if (!called || !called->getName().starts_with(id_prefix)) continue;
      if (&function != &kernel) {
        return llvm::createStringError("a function that is called as such reads a specialization constant");
      }
      calls[call->getArgOperand(0)].push_back(call);
    }
  }
  for (auto& [number, same] : calls) {
    llvm::CallInst* first = same.front();
    first->moveBefore(kernel.getEntryBlock(), kernel.getEntryBlock().getFirstInsertionPt());
    for (llvm::CallInst* call : llvm::drop_begin(same)) {
      call->replaceAllUsesWith(first);
      call->eraseFromParent();
    }
  }
  return llvm::Error::success();
}

}  // namespace sinter::passes
