#include "few_turns.hpp"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "passes/llvm_versions.hpp"
#include "passes/optional_steps.hpp"

namespace sinter::passes {
namespace {

// The largest number of instructions in one iteration. An enclosing loop may be unrolled too, which multiplies this
// number.
constexpr std::size_t most_turn_instructions = 80;

/// The maximum number of times that the header of a loop runs. Returns 0 if the header may run often, or if the loop's
/// code may not be repeated.
unsigned runs_of_header(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (!loop.isLoopSimplifyForm() || evolution.getSmallConstantTripCount(&loop) != 0) return 0;
  const unsigned runs = evolution.getSmallConstantMaxTripCount(&loop);
  // If a loop is tested in its header, the header runs once more than the body.
  const bool tests_first = loop.getExitingBlock() == loop.getHeader() && loop.getHeader() != loop.getLoopLatch();
  if (runs == 0 || runs > most_turns + (tests_first ? 1 : 0)) return 0;
  std::size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    size += block->size();
    const bool meets = llvm::any_of(*block, [](const llvm::Instruction& each) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
      return call && (call->isConvergent() || call->cannotDuplicate());
    });
    if (meets) return 0;
  }
  return size <= most_turn_instructions ? runs : 0;
}

}  // namespace

llvm::PreservedAnalyses few_turns::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  auto& loops = manager.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  auto& evolution = manager.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& tree = manager.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = manager.getResult<llvm::AssumptionAnalysis>(function);
  const auto& target = manager.getResult<llvm::TargetIRAnalysis>(function);
  auto& remarks = manager.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false, asked = false;
  llvm::SmallVector<llvm::Loop*, 8> inner_first = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(inner_first)) {
    const unsigned runs = runs_of_header(*loop, evolution);
    if (runs == 0) continue;
    if (!asked && !may_run(optional_step::row_unrolling)) return llvm::PreservedAnalyses::all();
    asked = true;
    llvm::UnrollLoopOptions options{};
    options.Count = runs;
    options.AllowExpensiveTripCount = true;
    set_expansion_budget(options, 8);
    changed |= llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks,
                                /*PreserveLCSSA=*/true) != llvm::LoopUnrollResult::Unmodified;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace sinter::passes
