#include "stride_forms.hpp"

#include "passes/alias_scopes.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

// Limits for the instructions of a block that is copied, and for the number of such blocks in a function.
constexpr std::size_t most_copied = 64, most_places = 4;

struct stride_place {
  llvm::BinaryOperator* position = nullptr;  ///< l & (s - 1)
  llvm::Value* mask = nullptr;
  llvm::Value* stride = nullptr;
  llvm::Instruction* last = nullptr;    ///< the last instruction in its block that differs between lanes
  llvm::BasicBlock* guarded = nullptr;  ///< the next block if it is the body of an `if`; or null
};

/// Returns the body of an `if` that ends `block`: a successor that leads only to the other successor. Returns null if
/// there is none.
llvm::BasicBlock* guarded_behind(llvm::BasicBlock& block) {
  for (llvm::BasicBlock* guarded : llvm::successors(&block)) {
    llvm::BasicBlock* behind = guarded->getSingleSuccessor();
    if (guarded->getSinglePredecessor() != &block || !behind || behind == guarded || !behind->hasNPredecessors(2))
      continue;
    if (llvm::is_contained(llvm::successors(&block), behind) && !llvm::isa<llvm::PHINode>(guarded->front()))
      return guarded;
  }
  return nullptr;
}

bool may_be_copied(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !llvm::isa<llvm::AllocaInst>(instruction) && !(call && (call->cannotDuplicate() || call->isConvergent()));
}

/// A quick test: most kernels have no instruction of the form l & (s - 1) with an unknown s.
bool cuts_at_run_time(const llvm::Instruction& instruction) {
  return instruction.getOpcode() == llvm::Instruction::And && !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

/// Finds the block's first expression l & (s - 1), and the values that depend on it.
stride_place place_in(llvm::BasicBlock& block, const lane_shapes& shapes) {
  using namespace llvm::PatternMatch;
  stride_place found;
  bool accesses = false;
  std::size_t count = 0;
  for (llvm::Instruction& instruction : block) {
    llvm::Value *left = nullptr, *stride = nullptr;
    if (!found.position && cuts_at_run_time(instruction)) {
      left = instruction.getOperand(0);
      llvm::Value* right = instruction.getOperand(1);
      if (!shapes.of(left).aligned) std::swap(left, right);
      const lane_shape shape = shapes.of(left);
      const bool counts = shape.aligned && shape.what == lane_shape::kind::strided;
      if (counts && shapes.of(right).is_uniform() && match(right, m_Add(m_Value(stride), m_AllOnes())) &&
          !llvm::isa<llvm::Constant>(stride) && shapes.of(&instruction).is_varying()) {
        found = {llvm::cast<llvm::BinaryOperator>(&instruction), right, stride, &instruction};
      }
    }
    if (!found.position) continue;
    if (!may_be_copied(instruction)) return {};
    ++count;
    if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction)) {
      accesses |= shapes.of(address).is_varying();
      found.last = &instruction;
    } else if (shapes.of(&instruction).is_varying() && !instruction.isTerminator()) {
      found.last = &instruction;
    }
  }
  if (!accesses || count > most_copied) return {};
  llvm::BasicBlock* guarded = guarded_behind(block);
  if (guarded && guarded->size() <= most_copied && llvm::all_of(*guarded, may_be_copied)) found.guarded = guarded;
  return found;
}

/// Copies `blocks` for one stride. The blocks and their copies lead to `behind`. If `stride` is null, the copy is for
/// all strides that are multiples of the number of lanes. lane_shapes finds this fact from the branch that leads to the
/// copy. Returns the first copied block.
llvm::BasicBlock* form_for(const stride_place& place, llvm::ArrayRef<llvm::BasicBlock*> blocks,
                           llvm::BasicBlock& behind, llvm::ConstantInt* stride) {
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 2> copies;
  for (llvm::BasicBlock* block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".form", block->getParent()));
    map[block] = copies.back();
  }
  if (stride) {
    map[place.stride] = stride;
    map[place.mask] = llvm::ConstantInt::get(stride->getType(), stride->getValue() - 1);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  renew_scopes(copies);
  for (llvm::PHINode& phi : behind.phis()) {
    for (const auto& [block, copy] : llvm::zip(blocks, copies)) {
      llvm::Value* value = phi.getIncomingValueForBlock(block);
      const auto found = map.find(value);
      phi.addIncoming(found == map.end() ? value : static_cast<llvm::Value*>(found->second), copy);
    }
  }
  return copies.front();
}

/// Makes phis in `behind` for values of `blocks` that later blocks use.
void close(llvm::ArrayRef<llvm::BasicBlock*> blocks, llvm::BasicBlock& behind) {
  for (llvm::Instruction& instruction : *blocks.front()) {
    if (instruction.getType()->isVoidTy()) continue;
    llvm::SmallVector<llvm::Use*, 4> outside;
    for (llvm::Use& use : instruction.uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      if (!llvm::is_contained(blocks, phi ? phi->getIncomingBlock(use) : user->getParent())) outside.push_back(&use);
    }
    if (outside.empty()) continue;
    llvm::PHINode* result = llvm::PHINode::Create(instruction.getType(), 2, "", behind.begin());
    for (llvm::BasicBlock* block : blocks) result->addIncoming(&instruction, block);
    for (llvm::Use* use : outside) use->set(result);
  }
}

/// The program may test s only after the position is computed, so the mask may be poison. An example is (1 << s) - 1
/// with an s that is too large. The mask is frozen, because a branch must not depend on poison.
void freeze_mask(stride_place& place) {
  if (llvm::isGuaranteedNotToBePoison(place.mask)) return;
  llvm::IRBuilder<> builder(place.position);
  llvm::Value* frozen = builder.CreateFreeze(place.mask, "mask");
  const llvm::BasicBlock* head = place.position->getParent();
  place.mask->replaceUsesWithIf(frozen, [&](const llvm::Use& use) {
    const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user || user == frozen || llvm::isa<llvm::PHINode>(user)) return false;
    const bool behind = user->getParent() == head && !user->comesBefore(place.position);
    return behind || user->getParent() == place.guarded;
  });
  place.mask = frozen;
}

void add_forms(stride_place place, unsigned lanes) {
  freeze_mask(place);
  llvm::BasicBlock* head = place.position->getParent();
  llvm::SmallVector<llvm::BasicBlock*, 2> blocks{llvm::SplitBlock(head, place.position->getIterator())};
  llvm::BasicBlock* behind;
  if (place.guarded) {
    blocks.push_back(place.guarded);
    behind = place.guarded->getSingleSuccessor();
  } else {
    behind = llvm::SplitBlock(blocks.front(), std::next(place.last->getIterator()));
  }
  close(blocks, *behind);
  auto* type = llvm::cast<llvm::IntegerType>(place.mask->getType());
  auto add = [&](auto holds, llvm::ConstantInt* stride) {
    llvm::BasicBlock* form = form_for(place, blocks, *behind, stride);
    llvm::BasicBlock* next = llvm::SplitBlock(head, head->getTerminator());
    head->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(head);
    builder.CreateCondBr(holds(builder), form, next);
    head = next;
  };
  llvm::ConstantInt* low = llvm::ConstantInt::get(type, lanes - 1);
  add([&](llvm::IRBuilder<>& builder) { return builder.CreateICmpEQ(builder.CreateAnd(place.mask, low), low); },
      nullptr);
  for (unsigned stride = lanes / 2; stride != 0; stride /= 2) {
    llvm::ConstantInt* mask = llvm::ConstantInt::get(type, stride - 1);
    add([&](llvm::IRBuilder<>& builder) { return builder.CreateICmpEQ(place.mask, mask); },
        llvm::ConstantInt::get(type, stride));
  }
}

}  // namespace

void widen_masks(llvm::Function& function) {
  for (llvm::Instruction& mask : llvm::instructions(function)) {
    if (mask.getOpcode() != llvm::Instruction::Add) continue;
    const auto* added = llvm::dyn_cast<llvm::ConstantInt>(mask.getOperand(1));
    if (!added || !added->getValue().isMask() || added->isMinusOne()) continue;
    const bool only_cuts = llvm::all_of(mask.uses(), [&](const llvm::Use& use) {
      const auto* cut = llvm::cast<llvm::Instruction>(use.getUser());
      if (!cuts_at_run_time(*cut)) return false;
      const llvm::Value* other = cut->getOperand(1 - use.getOperandNo());
      return llvm::computeKnownBits(other, function.getDataLayout()).getMaxValue().ule(added->getValue());
    });
    if (!only_cuts) continue;
    mask.setOperand(1, llvm::Constant::getAllOnesValue(mask.getType()));
    mask.dropPoisonGeneratingFlags();
  }
}

bool add_stride_forms(lane_region& region) {
  llvm::Function& prepared = region.function();
  if (llvm::none_of(llvm::instructions(prepared), cuts_at_run_time)) return false;
  llvm::SmallVector<stride_place, 2> places;
  const lane_shapes& shapes = region.known().shapes;
  if (shapes.failure()) return false;
  for (llvm::BasicBlock& block : prepared) {
    const stride_place found = place_in(block, shapes);
    if (found.position) places.push_back(found);
    if (places.size() == most_places) break;
  }
  for (const stride_place& each : places) add_forms(each, region.facts().lanes);
  if (!places.empty()) region.changed();
  return !places.empty();
}

}  // namespace sinter::passes
