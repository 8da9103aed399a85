#include "common_loops.hpp"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "loop_accesses.hpp"
#include "passes/convergence.hpp"

namespace sinter::passes {
namespace {

// With fewer iterations, the rows are still in the caches when the next vector reads them.
constexpr unsigned least_iterations = 4 * rows_at_once;
constexpr std::int64_t rows_far_apart = 512;
constexpr unsigned most_kept_by_groups = 12;

/// Whether all work-items reach the loop and run the same number of iterations.
bool is_common(const llvm::Loop& loop, const lane_shapes& all) {
  return !all.is_divergent(&loop) && all.mask(loop.getLoopPreheader()) != lane_mask::partial &&
         all.mask(loop.getLoopLatch()) != lane_mask::partial;
}

/// The number of values that each work-item keeps from iteration to iteration.
unsigned kept_values(const llvm::Loop& loop, const lane_shapes& all) {
  const auto own = [&](const llvm::PHINode& phi) { return !all.of(&phi).is_uniform(); };
  return static_cast<unsigned>(llvm::count_if(loop.getHeader()->phis(), own));
}

/// Whether several iterations read the same elements, as in a stencil. Rows that are visited between two barriers share
/// these loads.
bool shares_loads(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const llvm::Value*, 8> arrays;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& each : *block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      if (load && !load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
          !arrays.insert(llvm::getUnderlyingObject(load->getPointerOperand())).second)
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<common_loop> find_common_loops(llvm::Function& work_item, const lane_analyses& all,
                                           const lane_shapes& lanes, std::uint64_t items,
                                           llvm::FunctionAnalysisManager& analyses) {
  const auto is_array = [](const llvm::Instruction& each) { return llvm::isa<llvm::AllocaInst>(each); };
  if (llvm::any_of(llvm::instructions(work_item), is_array)) return {};
  std::vector<common_loop> found;
  for (llvm::Loop* loop : all.loops.getLoopsInPreorder()) {
    const unsigned kept = loop->isLoopSimplifyForm() ? kept_values(*loop, all.shapes) : 0;
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() || !is_common(*loop, all.shapes) ||
        kept > most_kept_by_groups || !goes_across_rows(*loop, {lanes, items, rows_far_apart}))
      continue;
    const unsigned iterations =
        analyses.getResult<llvm::ScalarEvolutionAnalysis>(work_item).getSmallConstantMaxTripCount(
            analyses.getResult<llvm::LoopAnalysis>(work_item).getLoopFor(loop->getHeader()));
    if (iterations == 0 || iterations >= least_iterations)
      found.push_back({loop->getHeader(), loop->getLoopPreheader(), loop->getLoopLatch(),
                       kept == 0 && !shares_loads(*loop) ? 1 : rows_at_once});
  }
  return found;
}

void meet_in_loop(const common_loop& loop) {
  llvm::IRBuilder<> builder(loop.header, loop.header->begin());
  if (loop.rows == 1) {
    builder.SetInsertPoint(loop.latch->getTerminator());
    create_barrier(builder, abi::scope::work_group);
    return;
  }
  llvm::PHINode* turn = builder.CreatePHI(builder.getInt32Ty(), 2, "turn");
  builder.SetInsertPoint(loop.latch->getTerminator());
  llvm::Value* next = builder.CreateAnd(builder.CreateAdd(turn, builder.getInt32(1)), loop.rows - 1);
  llvm::Instruction* meeting = llvm::SplitBlockAndInsertIfThen(
      builder.CreateIsNull(next), loop.latch->getTerminator()->getIterator(), /*Unreachable=*/false);
  turn->addIncoming(builder.getInt32(0), loop.before);
  turn->addIncoming(next, meeting->getParent()->getSingleSuccessor());
  builder.SetInsertPoint(meeting);
  create_barrier(builder, abi::scope::work_group);
}

}  // namespace sinter::passes
