#include "remainders.hpp"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/machine/machine_facts.hpp"
#include "passes/machine/vector_math.hpp"

namespace sinter::passes {
namespace {

// Quotients below these limits differ from the true quotients by less than 1.
constexpr double most_of_floats = 0x1p22, most_of_doubles = 0x1p51;

bool is_remainder(const llvm::Instruction& instruction) {
  llvm::Type* type = instruction.getType();
  if (!type->isFloatTy() && !type->isDoubleTy()) return false;
  if (instruction.getOpcode() == llvm::Instruction::FRem) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && math_name(*call) == "fmod";
}

void expand_remainder(llvm::Instruction& slow) {
  llvm::IRBuilder<> builder(&slow);
  llvm::Type* type = slow.getType();
  llvm::Value *x = slow.getOperand(0), *y = slow.getOperand(1);
  llvm::Value* over = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value* under = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y);
  llvm::Value* quotient = builder.CreateFDiv(over, under);
  llvm::Value* most = llvm::ConstantFP::get(type, type->isFloatTy() ? most_of_floats : most_of_doubles);
  llvm::Value* is_usual = builder.CreateAnd(builder.CreateFCmpOLT(quotient, most),
                                            builder.CreateFCmpOLT(under, llvm::ConstantFP::getInfinity(type)));
  // The rounded quotient may be too large by 1. The rest is exact nevertheless: it is a multiple of the last digit of
  // the smaller operand, and no larger than this operand.
  llvm::Value* whole = builder.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  llvm::Value* rest =
      builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {builder.CreateFNeg(whole), under, over});
  llvm::Value* negative = builder.CreateFCmpOLT(rest, llvm::ConstantFP::get(type, 0));
  rest = builder.CreateSelect(negative, builder.CreateFAdd(rest, under), rest);
  llvm::Value* usual = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, x);
  llvm::Instruction* seldom = llvm::SplitBlockAndInsertIfThen(
      builder.CreateNot(is_usual), slow.getIterator(), /*Unreachable=*/false,
      llvm::MDBuilder(slow.getContext()).createUnlikelyBranchWeights());
  llvm::BasicBlock* in_line = seldom->getParent()->getSinglePredecessor();
  llvm::BasicBlock* behind = slow.getParent();
  slow.moveBefore(seldom->getIterator());
  builder.SetInsertPoint(behind, behind->begin());
  llvm::PHINode* result = builder.CreatePHI(type, 2);
  slow.replaceAllUsesWith(result);
  result->addIncoming(usual, in_line);
  result->addIncoming(&slow, slow.getParent());
}

}  // namespace

void expand_remainders(llvm::Function& kernel, const llvm::TargetMachine& machine) {
  if (!machine_facts::of(machine).adds_products_once) return;
  llvm::SmallVector<llvm::Instruction*, 4> found;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (is_remainder(instruction)) found.push_back(&instruction);
  }
  for (llvm::Instruction* each : found) expand_remainder(*each);
}

}  // namespace sinter::passes
