#include "upward_steps.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/KnownBits.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_value = 8;

void move_in_front(const llvm::Loop& loop, llvm::Value* value, llvm::Instruction& place, unsigned depth) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop.contains(instruction) || llvm::isa<llvm::PHINode>(instruction) || depth > deepest_value)
    return;
  if (instruction->mayReadOrWriteMemory() && !instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return;
  for (llvm::Value* operand : instruction->operand_values()) move_in_front(loop, operand, place, depth + 1);
  if (!loop.hasLoopInvariantOperands(instruction) || !llvm::isSafeToSpeculativelyExecute(instruction, &place)) return;
  instruction->moveBefore(place.getIterator());
  // Other metadata about the value is dropped, because it may be true only inside the loop.
  instruction->dropUBImplyingAttrsAndUnknownMetadata({llvm::LLVMContext::MD_invariant_load});
}

/// The counter of a loop that continues while the counter is less than `bound`, or at most `bound`.
struct counter {
  llvm::BinaryOperator* next;  ///< the sum of the counter and its step
  llvm::Value* bound;
};

counter find_counter(const llvm::Loop& loop) {
  llvm::BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  if (!latch || exiting != loop.getHeader() || exiting == latch) return {};
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  auto* compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare) return {};
  llvm::CmpInst::Predicate predicate = compare->getPredicate();
  if (!loop.contains(branch->getSuccessor(0))) predicate = llvm::CmpInst::getInversePredicate(predicate);
  // LLVM makes a comparison unsigned if both numbers have the same sign.
  if (has_same_sign(*compare) && llvm::CmpInst::isUnsigned(predicate))
    predicate = llvm::ICmpInst::getSignedPredicate(predicate);
  llvm::Value *tested = compare->getOperand(0), *bound = compare->getOperand(1);
  for (unsigned way = 0; way < 2; ++way) {
    const bool goes_up = predicate == llvm::CmpInst::ICMP_SLT || predicate == llvm::CmpInst::ICMP_SLE;
    for (llvm::PHINode& phi : loop.getHeader()->phis()) {
      auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(latch));
      const bool is_sum = goes_up && next && next->getOpcode() == llvm::Instruction::Add &&
                          next->getOperand(0) == &phi && next->hasNoSignedWrap();
      // The test has to come before the sum: a loop that tests behind the sum may end at once, even with a negative
      // step.
      if (is_sum && tested == &phi && next->getParent() != exiting) return {next, bound};
    }
    std::swap(tested, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  return {};
}

bool state_step(llvm::Loop& loop) {
  llvm::BasicBlock* before = loop.getLoopPredecessor();
  const counter found = loop.isInnermost() && before ? find_counter(loop) : counter{};
  if (!found.next) return false;
  llvm::Value* step = found.next->getOperand(1);
  const llvm::DataLayout& layout = before->getModule()->getDataLayout();
  if (llvm::isa<llvm::Constant>(step) || llvm::computeKnownBits(step, layout).isNonNegative()) return false;
  // All instructions of an iteration have to return. If an instruction did not return, the loop would end there, and
  // the counter might never reach the value at which it wraps.
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (!llvm::all_of(*block, [](const llvm::Instruction& each) {
          return llvm::isGuaranteedToTransferExecutionToSuccessor(&each);
        }))
      return false;
  }
  llvm::Instruction& place = *before->getTerminator();
  move_in_front(loop, step, place, 0);
  move_in_front(loop, found.bound, place, 0);
  if (!loop.isLoopInvariant(step) || !loop.isLoopInvariant(found.bound)) return false;
  llvm::Value* zero = llvm::ConstantInt::get(step->getType(), 0);
  llvm::IRBuilder<> builder(&place);
  found.next->setOperand(1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, step, zero));
  return true;
}

}  // namespace

void move_in_front(const llvm::Loop& loop, llvm::Value* value, llvm::Instruction& place) {
  move_in_front(loop, value, place, 0);
}

bool state_upward_steps(const llvm::LoopInfo& loops) {
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) changed |= state_step(*loop);
  return changed;
}

llvm::PreservedAnalyses upward_steps::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  if (!state_upward_steps(manager.getResult<llvm::LoopAnalysis>(function))) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace sinter::passes
