#include "prints.hpp"

#include <abi/gpu_launch.hpp>

#include "targets/gpu/dialect.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "targets/printed_text.hpp"

namespace sinter::jit::nvptx {
namespace {

/// Translates constant formats. Other formats are not changed.
llvm::Value* format_for_driver(llvm::IRBuilder<>& builder, llvm::Value* format, llvm::Module& module) {
  const std::optional<std::string> text = constant_text(*format);
  if (!text) return format;
  const std::string known = with_long_lengths(*text);
  return known == *text ? format : builder.CreateGlobalString(known, "format", 0, &module);
}

/// Stores the arguments in a structure, promoted as in C's calling convention.
llvm::Value* pack_arguments(llvm::IRBuilder<>& builder, llvm::CallInst& call) {
  llvm::SmallVector<llvm::Value*, 8> values;
  llvm::SmallVector<llvm::Type*, 8> types;
  for (llvm::Value* value : llvm::drop_begin(call.args())) {
    llvm::Type* type = value->getType();
    if (type->isHalfTy() || type->isBFloatTy() || type->isFloatTy()) {
      value = builder.CreateFPExt(value, builder.getDoubleTy());
    } else if (type->isIntegerTy() && type->getIntegerBitWidth() < 32) {
      value = builder.CreateSExt(value, builder.getInt32Ty());
    }
    values.push_back(value);
    types.push_back(value->getType());
  }
  if (values.empty()) return llvm::ConstantPointerNull::get(builder.getPtrTy());
  llvm::StructType* packed = llvm::StructType::get(builder.getContext(), types);
  llvm::BasicBlock& entry = call.getFunction()->getEntryBlock();
  llvm::AllocaInst* memory = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(packed, nullptr, "printed");
  for (unsigned i = 0; i < values.size(); ++i) {
    builder.CreateStore(values[i], builder.CreateStructGEP(packed, memory, i));
  }
  return memory;
}

/// Adds the variable that tells the host that the module prints. The host then has to wait by the driver's own
/// function.
void mark(llvm::Module& module) {
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  if (module.getNamedGlobal(abi::gpu_prints_symbol)) return;
  auto* marker = new llvm::GlobalVariable(module, byte, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                                          llvm::ConstantInt::get(byte, 1), abi::gpu_prints_symbol, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, gpu::global_space);
  marker->setExternallyInitialized(true);
}

}  // namespace

void lower_prints(llvm::Module& module) {
  llvm::Function* printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration() || !printf->isVarArg()) return;
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Type* int32 = llvm::Type::getInt32Ty(module.getContext());
  llvm::FunctionCallee vprintf =
      module.getOrInsertFunction("vprintf", llvm::FunctionType::get(int32, {pointer, pointer}, false));
  bool prints = false;
  for (llvm::User* user : llvm::make_early_inc_range(printf->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledFunction() != printf) continue;  // other uses are refused later
    llvm::IRBuilder<> builder(call);
    llvm::Value* format = format_for_driver(builder, call->getArgOperand(0), module);
    call->replaceAllUsesWith(builder.CreateCall(vprintf, {format, pack_arguments(builder, *call)}));
    call->eraseFromParent();
    prints = true;
  }
  if (prints) mark(module);
}

}  // namespace sinter::jit::nvptx
