#include "stride_forms.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

// Of a block that is copied; so many blocks of one function are.
constexpr std::size_t most_instructions = 64, most_places = 4;

struct place {
  llvm::BinaryOperator* position = nullptr;  ///< l & (s - 1)
  llvm::Value* mask = nullptr;
  llvm::Value* stride = nullptr;
  llvm::Instruction* last = nullptr;  ///< in its block, that differs between lanes
};

/// The first such expression of a block and what depends on it.
place place_in(llvm::BasicBlock& block, const lane_shapes& shapes) {
  using namespace llvm::PatternMatch;
  place found;
  bool accesses = false;
  std::size_t count = 0;
  for (llvm::Instruction& instruction : block) {
    llvm::Value *left = nullptr, *stride = nullptr;
    if (!found.position && match(&instruction, m_And(m_Value(left), m_Value())) &&
        !llvm::isa<llvm::Constant>(instruction.getOperand(1))) {
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
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (llvm::isa<llvm::AllocaInst>(instruction) || (call && (call->cannotDuplicate() || call->isConvergent())))
      return {};
    ++count;
    if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction)) {
      accesses |= shapes.of(address).is_varying();
      found.last = &instruction;
    } else if (shapes.of(&instruction).is_varying() && !instruction.isTerminator()) {
      found.last = &instruction;
    }
  }
  return accesses && count <= most_instructions ? found : place{};
}

/// A copy of `block` in front of `behind`, whose stride is `stride` (null: a multiple of the number of lanes, as
/// lane_shapes sees in the branch that leads there).
llvm::BasicBlock* form_for(const place& place, llvm::BasicBlock& block, llvm::BasicBlock& behind,
                           llvm::ConstantInt* stride) {
  llvm::ValueToValueMapTy map;
  llvm::BasicBlock* copy = llvm::CloneBasicBlock(&block, map, ".form", block.getParent());
  if (stride) {
    map[place.stride] = stride;
    map[place.mask] = llvm::ConstantInt::get(stride->getType(), stride->getValue() - 1);
  }
  llvm::remapInstructionsInBlocks({copy}, map);
  for (llvm::PHINode& phi : behind.phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&block);
    const auto found = map.find(value);
    phi.addIncoming(found == map.end() ? value : static_cast<llvm::Value*>(found->second), copy);
  }
  return copy;
}

void add_forms(const place& place, unsigned lanes) {
  llvm::BasicBlock* head = place.position->getParent();
  llvm::BasicBlock* body = llvm::SplitBlock(head, place.position->getIterator());
  llvm::BasicBlock* behind = llvm::SplitBlock(body, std::next(place.last->getIterator()));
  for (llvm::Instruction& instruction : *body) {
    if (instruction.getType()->isVoidTy()) continue;
    llvm::SmallVector<llvm::Use*, 4> outside;
    for (llvm::Use& use : instruction.uses()) {
      if (llvm::cast<llvm::Instruction>(use.getUser())->getParent() != body) outside.push_back(&use);
    }
    if (outside.empty()) continue;
    llvm::PHINode* result = llvm::PHINode::Create(instruction.getType(), 1, "", behind->begin());
    result->addIncoming(&instruction, body);
    for (llvm::Use* use : outside) use->set(result);
  }
  auto* type = llvm::cast<llvm::IntegerType>(place.mask->getType());
  auto add = [&](llvm::Value* (*holds)(llvm::IRBuilder<>&, llvm::Value*, llvm::ConstantInt*), llvm::ConstantInt* number,
                 llvm::ConstantInt* stride) {
    llvm::BasicBlock* form = form_for(place, *body, *behind, stride);
    llvm::BasicBlock* next = llvm::SplitBlock(head, head->getTerminator());
    head->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(head);
    builder.CreateCondBr(holds(builder, place.mask, number), form, next);
    head = next;
  };
  add([](llvm::IRBuilder<>& builder, llvm::Value* mask,
         llvm::ConstantInt* low) { return builder.CreateICmpEQ(builder.CreateAnd(mask, low), low); },
      llvm::ConstantInt::get(type, lanes - 1), nullptr);
  for (unsigned stride = lanes / 2; stride != 0; stride /= 2) {
    add([](llvm::IRBuilder<>& builder, llvm::Value* mask,
           llvm::ConstantInt* number) { return builder.CreateICmpEQ(mask, number); },
        llvm::ConstantInt::get(type, stride - 1), llvm::ConstantInt::get(type, stride));
  }
}

}  // namespace

bool add_stride_forms(llvm::Function& prepared, lane_facts facts) {
  llvm::SmallVector<place, 2> places;
  {
    llvm::DominatorTree tree(prepared);
    const llvm::LoopInfo loops(tree);
    const llvm::PostDominatorTree postdominators(prepared);
    const lane_shapes shapes(prepared, loops, postdominators, facts);
    if (shapes.failure()) return false;
    for (llvm::BasicBlock& block : prepared) {
      const place found = place_in(block, shapes);
      if (found.position) places.push_back(found);
      if (places.size() == most_places) break;
    }
  }
  for (const place& each : places) add_forms(each, facts.lanes);
  return !places.empty();
}

}  // namespace sinter::passes
