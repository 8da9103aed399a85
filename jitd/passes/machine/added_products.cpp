#include "added_products.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "machine_facts.hpp"

namespace sinter::passes {
namespace {

bool adds_products_once(const llvm::Type& type, const llvm::TargetMachine& machine) {
  if (type.isFloatTy() || type.isDoubleTy()) return machine_facts::of(machine).adds_products_once;
  // Machines without these features convert halves to floats, compute in float, and round each result to half.
  const bool is_arm = machine.getTargetTriple().isAArch64();
  return type.isHalfTy() && machine.getMCSubtargetInfo()->checkFeatures(is_arm ? "+fullfp16" : "+avx512fp16");
}

void settle(llvm::CallInst& call, const llvm::TargetMachine& machine) {
  llvm::IRBuilder<> builder(&call);
  builder.setFastMathFlags(call.getFastMathFlags());
  llvm::Value *a = call.getArgOperand(0), *b = call.getArgOperand(1), *c = call.getArgOperand(2);
  llvm::Value* sum = adds_products_once(*call.getType()->getScalarType(), machine)
                         ? builder.CreateIntrinsic(llvm::Intrinsic::fma, {call.getType()}, {a, b, c})
                         : builder.CreateFAdd(builder.CreateFMul(a, b), c);
  if (llvm::isa<llvm::Instruction>(sum)) sum->takeName(&call);
  call.replaceAllUsesWith(sum);
  call.eraseFromParent();
}

}  // namespace

void settle_added_products(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::fmuladd) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      settle(*llvm::cast<llvm::CallInst>(user), machine);
    }
    function.eraseFromParent();
  }
}

}  // namespace sinter::passes
