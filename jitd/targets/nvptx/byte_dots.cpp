#include "byte_dots.hpp"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"
#include "passes/byte_products.hpp"

namespace sinter::jit::nvptx {
namespace {

using passes::byte_dot;
using passes::byte_sign;

llvm::Value* add_dot(llvm::IRBuilder<>& builder, llvm::Value* sum, const byte_dot& dot) {
  const auto has = [](const passes::byte_word& word) { return word.sign == byte_sign::has; };
  const llvm::Intrinsic::ID ids[2][2] = {{llvm::Intrinsic::nvvm_idp4a_u_u, llvm::Intrinsic::nvvm_idp4a_u_s},
                                         {llvm::Intrinsic::nvvm_idp4a_s_u, llvm::Intrinsic::nvvm_idp4a_s_s}};
  return builder.CreateIntrinsic(ids[has(dot.first)][has(dot.second)], {}, {dot.first.value, dot.second.value, sum});
}

bool is_loaded_byte(const llvm::Value* number) {
  const auto* widened = llvm::dyn_cast<llvm::CastInst>(number);
  return widened && widened->getSrcTy()->isIntegerTy(8) && llvm::isa<llvm::LoadInst>(widened->getOperand(0));
}

/// Whether bytes are loaded one by one before they are multiplied. If they are loaded as words, the loads need no
/// change.
bool multiplies_loaded_bytes(const llvm::Function& entry) {
  return llvm::count_if(llvm::instructions(entry), [](const llvm::Instruction& each) {
           return each.getOpcode() == llvm::Instruction::Mul &&
                  (is_loaded_byte(each.getOperand(0)) || is_loaded_byte(each.getOperand(1)));
         }) >= 4;
}

}  // namespace

void dot_bytes(llvm::Function& entry, passes::pass_runner& runner) {
  if (multiplies_loaded_bytes(entry)) {
    // Neighbouring bytes are loaded as vectors. LLVM would do this too late.
    runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
    llvm::FunctionPassManager loads;
    loads.addPass(llvm::LoadStoreVectorizerPass());
    runner.run(entry, std::move(loads));
  }
  const bool changed = passes::join_byte_products(
      entry, [](const llvm::Type& type) { return type.isIntegerTy(); },
      [](llvm::IRBuilder<>& builder, llvm::Value* sum, llvm::ArrayRef<byte_dot> dots) {
        for (const byte_dot& each : dots) sum = add_dot(builder, sum, each);
        return sum;
      });
  if (changed) {
    llvm::FunctionPassManager equal_words;
    equal_words.addPass(llvm::EarlyCSEPass());
    runner.run(entry, std::move(equal_words));
  }
  runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
}

}  // namespace sinter::jit::nvptx
