#include "known_masks.hpp"

#include <abi/planted_error.hpp>

#include <optional>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

constexpr std::size_t most_stores = 2;
constexpr unsigned most_word_depth = 8;

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

/// Returns the lanes that are on. Returns none if there are many of them, or if they are not known.
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

/// Folds a value that is computed from constants. Returns null if the value is not known.
llvm::Constant* known_value(llvm::Value* value, const llvm::DataLayout& layout, unsigned depth = 0) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return llvm::ConstantFoldConstant(constant, layout);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > most_word_depth || instruction->mayReadOrWriteMemory()) return nullptr;
  if (llvm::isa<llvm::PHINode, llvm::FreezeInst>(instruction)) return nullptr;
  llvm::SmallVector<llvm::Constant*, 4> operands;
  for (llvm::Value* operand : instruction->operands()) {
    operands.push_back(known_value(operand, layout, depth + 1));
    if (!operands.back()) return nullptr;
  }
  return llvm::ConstantFoldInstOperands(instruction, operands, layout);
}

/// Returns the lanes that are on, or nothing if some lanes are not known. Undefined lanes count as off, as in LLVM.
std::optional<llvm::SmallVector<unsigned, 16>> stored_lanes(llvm::Value* mask, const llvm::DataLayout& layout) {
  const llvm::Constant* known = known_value(mask, layout);
  if (!known) return {};
  llvm::SmallVector<unsigned, 16> lanes;
  for (unsigned i = 0; i < llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements(); ++i) {
    const llvm::Constant* element = known->getAggregateElement(i);
    if (!element || !llvm::isa<llvm::ConstantInt, llvm::UndefValue>(element)) return {};
    if (element->isOneValue()) lanes.push_back(i);
  }
  return lanes;
}

/// Whether each lane of a vector with this element type begins at a whole byte in memory. LLVM stores other vectors
/// correctly.
bool has_whole_bytes(llvm::Type* element, const llvm::DataLayout& layout) {
  return layout.typeSizeEqualsStoreSize(element) &&
         layout.getTypeStoreSize(element) == layout.getTypeAllocSize(element);
}

}  // namespace

bool store_known_lanes(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* masked = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!masked || masked->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    llvm::Value *values = masked->getArgOperand(0), *address = masked->getArgOperand(1);
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(values->getType());
    if (!type || !has_whole_bytes(type->getElementType(), layout)) continue;
    const auto lanes = stored_lanes(mask_of(*masked), layout);
    if (!lanes || lanes->size() > 1) continue;
    // With the planted error `masked_stores`, stores of truncated values stay masked, so that LLVM's defect has
    // consequences.
    if (llvm::isa<llvm::TruncInst>(values) && !lanes->empty() && abi::is_planted("masked_stores")) continue;
    if (!lanes->empty()) {
      const std::uint64_t offset = lanes->front() * layout.getTypeAllocSize(type->getElementType()).getFixedValue();
      llvm::IRBuilder<> builder(masked);
      llvm::Value* value = builder.CreateExtractElement(values, lanes->front());
      llvm::Value* place = offset == 0 ? address : builder.CreatePtrAdd(address, builder.getInt64(offset));
      const llvm::Align alignment = llvm::commonAlignment(masked_alignment(*masked), offset);
      builder.CreateAlignedStore(value, place, alignment)->copyMetadata(*masked);
    }
    masked->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool align_lanes_of_pointers(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* masked = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!masked) continue;
    const llvm::Intrinsic::ID kind = masked->getIntrinsicID();
    const bool stores = kind == llvm::Intrinsic::masked_store || kind == llvm::Intrinsic::masked_compressstore;
    if (!stores && kind != llvm::Intrinsic::masked_load && kind != llvm::Intrinsic::masked_expandload) continue;
    llvm::Type* element = (stores ? masked->getArgOperand(0)->getType() : masked->getType())->getScalarType();
    const llvm::Align said = masked_alignment(*masked);
    if (!element->isPointerTy() || said <= layout.getPointerABIAlignment(0)) continue;
    if (abi::is_planted("lanes_of_pointers")) continue;
    set_masked_alignment(*masked, layout.getPointerABIAlignment(0));
    changed = true;
  }
  return changed;
}

namespace {

/// Passes the vector of integers through an empty inline assembly, so that LLVM knows nothing about its bits.
/// `register_bits` is the size of a register whose lanes hold the values.
llvm::Value* opaque(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned register_bits) {
  auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
  auto* whole = llvm::FixedVectorType::get(builder.getIntNTy(register_bits / type->getNumElements()),
                                           type->getNumElements());
  auto* same = llvm::InlineAsm::get(llvm::FunctionType::get(whole, {whole}, false), "", "=w,0", false);
  llvm::Value* hidden = builder.CreateCall(same, {builder.CreateZExtOrTrunc(value, whole)});
  return builder.CreateZExtOrTrunc(hidden, type);
}

}  // namespace

bool widen_before_conversions(llvm::Function& function) {
  constexpr unsigned register_bits = 128, converted = 32;
  bool changed = false;
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(each.getType());
    if (!type) continue;
    const unsigned lanes = type->getNumElements();
    const unsigned lane_bits = lanes == 4 || lanes == 8 || lanes == 16 ? register_bits / lanes : 0;
    const auto* gather = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
    const bool gathers = gather && gather->getIntrinsicID() == llvm::Intrinsic::masked_gather;
    const auto* cut = llvm::dyn_cast<llvm::TruncInst>(&each);
    const bool shortens = cut && type->getScalarSizeInBits() != 1 &&
                          cut->getSrcTy()->getPrimitiveSizeInBits().getFixedValue() > register_bits;
    llvm::IRBuilder<> builder(&each);
    if ((gathers || shortens) && type->getElementType()->isIntegerTy() && type->getScalarSizeInBits() <= lane_bits) {
      builder.SetInsertPoint(each.getNextNode());
      if (shortens) {
        llvm::Value* source = builder.CreateTrunc(each.getOperand(0), type->getWithNewBitWidth(lane_bits));
        source = opaque(builder, source, register_bits);
        each.replaceAllUsesWith(builder.CreateZExtOrTrunc(source, each.getType()));
        each.eraseFromParent();
      } else {
        llvm::Value* held = builder.CreateFreeze(&each);
        llvm::Value* hidden = opaque(builder, held, register_bits);
        each.replaceUsesWithIf(hidden, [&](const llvm::Use& use) { return use.getUser() != held; });
      }
      changed = true;
    } else if (gathers && type->getElementType()->isIntegerTy() && type->getScalarSizeInBits() < 64) {
      builder.SetInsertPoint(each.getNextNode());
      llvm::Value* held = builder.CreateFreeze(&each);
      each.replaceUsesWithIf(held, [&](const llvm::Use& use) { return use.getUser() != held; });
      changed = true;
    } else if (llvm::isa<llvm::UIToFPInst>(each) && each.getOperand(0)->getType()->getScalarSizeInBits() < converted) {
      llvm::Value* value = each.getOperand(0);
      each.setOperand(0, builder.CreateZExt(value, value->getType()->getWithNewBitWidth(converted)));
      changed = true;
    }
  }
  return changed;
}

void split_known_scatters(llvm::Function& wide) {
  fold_masks(wide);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(wide))) {
    auto* scatter = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!scatter || scatter->getIntrinsicID() != llvm::Intrinsic::masked_scatter) continue;
    const auto lanes = known_lanes(mask_of(*scatter));
    if (lanes.empty()) continue;
    llvm::IRBuilder<> builder(scatter);
    // The stores are in the order of lanes, as in a scatter.
    for (unsigned lane : lanes) {
      llvm::Value* value = builder.CreateExtractElement(scatter->getArgOperand(0), lane);
      llvm::Value* address = builder.CreateExtractElement(scatter->getArgOperand(1), lane);
      const llvm::Align alignment = masked_alignment(*scatter);
      builder.CreateAlignedStore(value, address, alignment)->setAAMetadata(scatter->getAAMetadata());
    }
    scatter->eraseFromParent();
  }
}

}  // namespace sinter::passes
