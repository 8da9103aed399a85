#include "early_values.hpp"

#include "lane_promises.hpp"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::passes {
namespace {

/// An argument block, or one that is found in another. Elements of an array in it are read behind a test of their
/// index.
bool has_known_place(const llvm::Value* address) {
  while (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address)) {
    if (!step->hasAllConstantIndices()) return false;
    address = step->getPointerOperand();
  }
  return llvm::isa<llvm::Argument, llvm::LoadInst, llvm::Constant>(address);
}

}  // namespace

bool may_run_first(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
           has_known_place(load->getPointerOperand());
  }
  if (is_lane_promise(instruction)) return true;
  if (instruction.isIntDivRem()) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst,
                   llvm::FreezeInst, llvm::MinMaxIntrinsic>(instruction);
}

}  // namespace sinter::passes
