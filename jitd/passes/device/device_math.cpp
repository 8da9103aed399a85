#include "device_math.hpp"

#include <abi/device_abi.hpp>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {
namespace {

/// Replaces frexp, whose result is a struct: LLVM 22's VectorCombine crashes when it combines vectors of frexp.
void lower_frexp(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::frexp) continue;
    llvm::Type* real = function.getArg(0)->getType();
    auto* result = llvm::cast<llvm::StructType>(function.getReturnType());
    if ((!real->isFloatTy() && !real->isDoubleTy()) || !result->getElementType(1)->isIntegerTy(32)) continue;
    auto* pointer = llvm::PointerType::getUnqual(module.getContext());
    llvm::FunctionCallee libm = module.getOrInsertFunction(real->isFloatTy() ? "frexpf" : "frexp", real, real, pointer);
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> front(&*call->getFunction()->getEntryBlock().begin());
      llvm::AllocaInst* exponent = front.CreateAlloca(front.getInt32Ty(), nullptr, "exponent");
      llvm::IRBuilder<> builder(call);
      llvm::CallInst* fraction = builder.CreateCall(libm, {call->getArgOperand(0), exponent});
      fraction->setDoesNotThrow();
      fraction->setOnlyAccessesArgMemory();
      llvm::Value* pair = builder.CreateInsertValue(llvm::PoisonValue::get(result), fraction, 0);
      pair = builder.CreateInsertValue(pair, builder.CreateLoad(builder.getInt32Ty(), exponent), 1);
      call->replaceAllUsesWith(pair);
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

} // namespace

void lower_math_to_libm(llvm::Module& module) {
  lower_frexp(module);
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front(abi::device_math_prefix)) continue;
    const bool is_float = name.consume_back("_f32");
    if (!is_float) name.consume_back("_f64");
    std::string target = name.str();
    if (is_float) target = target == "lgamma_r" ? "lgammaf_r" : target + "f";
    if (llvm::Function* known = module.getFunction(target)) {
      function.replaceAllUsesWith(known);
      function.eraseFromParent();
    } else {
      function.setName(target);
    }
  }
}

} // namespace sinter::passes
