#include "known_masks.hpp"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {
namespace {

constexpr std::size_t most_stores = 2;

void fold_masks(llvm::Function& wide) {
  const llvm::DataLayout& layout = wide.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(wide))) {
    if (!llvm::isa<llvm::BinaryOperator, llvm::SelectInst>(instruction)) continue;
    if (!instruction.getType()->isIntOrIntVectorTy(1)) continue;
    llvm::Constant* known = llvm::ConstantFoldInstruction(&instruction, layout);
    if (!known) continue;
    instruction.replaceAllUsesWith(known);
    instruction.eraseFromParent();
  }
}

/// The lanes that are on; nothing where they are many or not known.
llvm::SmallVector<unsigned, 2> known_lanes(const llvm::Value* mask) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  llvm::SmallVector<unsigned, 2> lanes;
  for (unsigned i = 0; known && i < llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements(); ++i) {
    const auto* on = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(i));
    if (!on || lanes.size() > most_stores) return {};
    if (on->isOne()) lanes.push_back(i);
  }
  return lanes.size() <= most_stores ? lanes : llvm::SmallVector<unsigned, 2>();
}

}  // namespace

void split_known_scatters(llvm::Function& wide) {
  fold_masks(wide);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(wide))) {
    auto* scatter = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!scatter || scatter->getIntrinsicID() != llvm::Intrinsic::masked_scatter) continue;
    const auto lanes = known_lanes(scatter->getArgOperand(2));
    if (lanes.empty()) continue;
    llvm::IRBuilder<> builder(scatter);
    // In the order of lanes, as scatters have it.
    for (unsigned lane : lanes) {
      llvm::Value* value = builder.CreateExtractElement(scatter->getArgOperand(0), lane);
      llvm::Value* address = builder.CreateExtractElement(scatter->getArgOperand(1), lane);
      const llvm::Align alignment = scatter->getParamAlign(1).valueOrOne();
      builder.CreateAlignedStore(value, address, alignment)->setAAMetadata(scatter->getAAMetadata());
    }
    scatter->eraseFromParent();
  }
}

}  // namespace sinter::passes
