#include "fused_arguments.hpp"

#include <optional>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {
namespace {

/// Splits an address into its base and a constant offset.
std::pair<const llvm::Value*, std::int64_t> split_address(const llvm::Value* address, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  const llvm::Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {base, offset.getSExtValue()};
}

/// Follows the pointer to a member's block, and finds uses of the argument's bytes other than plain loads.
class block_uses {
public:
  block_uses(llvm::LoadInst& block, std::uint64_t offset) : m_layout(block.getDataLayout()), m_begin(offset) {
    follow(block, std::int64_t{0});
  }

  bool hide_argument() {
    while (!m_work.empty()) {
      const auto [pointer, at] = m_work.pop_back_val();
      for (llvm::Use& use : pointer->uses()) {
        if (hides(use, at)) return true;
      }
    }
    return false;
  }

private:
  using place = std::optional<std::int64_t>;  ///< distance from the start of the block, if it is constant

  void follow(llvm::Value& pointer, place at) {
    if (m_seen.insert(&pointer).second) m_work.push_back({&pointer, at});
  }

  bool overlaps(place at, std::uint64_t size) const {
    if (!at) return true;
    const auto begin = static_cast<std::int64_t>(m_begin);
    return *at < begin + 8 && begin < *at + static_cast<std::int64_t>(size);
  }

  bool hides(llvm::Use& use, place at) {
    llvm::User* user = use.getUser();
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt offset(64, 0);
      const bool constant = at && gep->accumulateConstantOffset(m_layout, offset);
      follow(*gep, constant ? place(*at + offset.getSExtValue()) : std::nullopt);
      return false;
    }
    if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user)) {
      follow(*user, std::nullopt);
      return false;
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      llvm::Type* type = load->getType();
      const bool plain = type->isPointerTy() && !load->isVolatile() && at == static_cast<std::int64_t>(m_begin);
      // The argument is a pointer. If a number is loaded from an unknown offset, it must be an element of a captured
      // array, and not a part of this pointer.
      const bool number = !at && (type->isIntegerTy() || type->isFloatingPointTy());
      return !plain && !number && overlaps(at, m_layout.getTypeStoreSize(type));
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user); copy && &use == &copy->getRawSourceUse()) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      return !length || overlaps(at, length->getZExtValue());
    }
    return !llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::ICmpInst>(user);
  }

  const llvm::DataLayout& m_layout;
  std::uint64_t m_begin;
  llvm::SmallVector<std::pair<llvm::Value*, place>, 16> m_work;
  llvm::SmallPtrSet<llvm::Value*, 16> m_seen;
};

} // namespace

std::vector<argument_load> find_argument_loads(llvm::Function& fused) {
  const llvm::DataLayout& layout = fused.getParent()->getDataLayout();
  std::vector<argument_load> result;
  for (llvm::Instruction& instruction : llvm::instructions(fused)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || load->isVolatile()) continue;
    const auto [block, offset] = split_address(load->getPointerOperand(), layout);
    const auto* block_load = llvm::dyn_cast<llvm::LoadInst>(block);
    if (!block_load || offset < 0) continue;
    const auto [blocks, at] = split_address(block_load->getPointerOperand(), layout);
    if (blocks != fused.getArg(0) || at < 0) continue;
    result.push_back({load, {static_cast<unsigned>(at / 8), static_cast<unsigned>(offset)}});
  }
  return result;
}

std::vector<llvm::LoadInst*> merge_identical_arguments(llvm::Function& fused, const fusion_description& description) {
  const std::vector<argument_load> loads = find_argument_loads(fused);
  std::vector<llvm::LoadInst*> merged;
  llvm::IRBuilder<> builder(&*fused.getEntryBlock().getFirstInsertionPt());
  llvm::MDNode* invariant = llvm::MDNode::get(fused.getContext(), {});
  for (const identical_set& set : description.sets) {
    llvm::LoadInst* first = nullptr;
    for (const argument_load& candidate : loads) {
      const bool member_of_set = llvm::any_of(set.arguments, [&](const fusion_argument& argument) {
        return argument.member == candidate.from.member && argument.offset == candidate.from.offset;
      });
      if (!member_of_set || !candidate.load->getType()->isPointerTy()) continue;
      if (!first) {
        auto* pointer = builder.getPtrTy();
        llvm::LoadInst* block = builder.CreateLoad(
            pointer, builder.CreateConstInBoundsGEP1_64(pointer, fused.getArg(0), set.arguments.front().member));
        first = builder.CreateLoad(
            pointer, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block, set.arguments.front().offset),
            "argument");
        block->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
        first->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
      }
      candidate.load->replaceAllUsesWith(first);
      candidate.load->eraseFromParent();
    }
    merged.push_back(first);
  }
  return merged;
}

std::string find_hidden_use(llvm::Function& fused, const identical_set& set) {
  const llvm::DataLayout& layout = fused.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(fused)) {
    auto* block = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!block) continue;
    const auto [blocks, at] = split_address(block->getPointerOperand(), layout);
    if (blocks != fused.getArg(0) || at < 0) continue;
    for (const fusion_argument& argument : set.arguments) {
      if (argument.member != static_cast<unsigned>(at / 8)) continue;
      if (block_uses(*block, argument.offset).hide_argument()) return "a copy of the captured object holds the pointer";
    }
  }
  return {};
}

void propagate_constants(llvm::Function& fused, const fusion_description& description) {
  const llvm::DataLayout& layout = fused.getParent()->getDataLayout();
  for (const argument_load& candidate : find_argument_loads(fused)) {
    llvm::Type* type = candidate.load->getType();
    if (type->isPointerTy() || !type->isSized()) continue;
    const std::uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
    for (const fusion_constant& constant : description.constants) {
      if (constant.argument.member != candidate.from.member || candidate.from.offset < constant.argument.offset ||
          candidate.from.offset + size > constant.argument.offset + constant.bytes.size()) {
        continue;
      }
      llvm::Constant* bytes = llvm::ConstantDataArray::getString(fused.getContext(), constant.bytes, /*AddNull=*/false);
      const llvm::APInt offset(64, candidate.from.offset - constant.argument.offset);
      llvm::Constant* value = llvm::ConstantFoldLoadFromConst(bytes, type, offset, layout);
      if (!value) continue;
      candidate.load->replaceAllUsesWith(value);
      candidate.load->eraseFromParent();
      break;
    }
  }
}

} // namespace sinter::passes
