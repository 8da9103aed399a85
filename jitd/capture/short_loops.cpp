#include "short_loops.hpp"

#include "../passes/value_passes.hpp"
#include "long_doubles.hpp"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace sinter::capture {
namespace {

// The number of elements of the longest vec, plus one for the test that ends the loop. Longer loops come from the
// user's code; the compile service can judge better whether to unroll them.
constexpr unsigned most_turns = 17;
// The limit is below that of LLVM's own unrolling.
constexpr unsigned most_instructions = 256;

// Loops that compute with long doubles draw numbers from a random engine (long_doubles.hpp). For one random double, a
// loop draws twice.
constexpr unsigned most_long_double_turns = 4;

bool is_short(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (computes_long_doubles(loop)) {
    const unsigned turns = evolution.getSmallConstantTripCount(&loop);
    return turns != 0 && turns <= most_long_double_turns;
  }
  if (!loop.isInnermost()) return false;
  unsigned size = 0;
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  for (const llvm::BasicBlock* block : loop.blocks()) {
    // Loops with conditions inside, such as tests for borders, do not come from the headers.
    if (block != exiting && !block->getSingleSuccessor()) return false;
    for (const llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
      size += !instruction.isDebugOrPseudoInst() && !llvm::isa<llvm::PHINode>(instruction);
    }
  }
  if (size > most_instructions) return false;
  const unsigned turns = evolution.getSmallConstantTripCount(&loop);
  return turns != 0 && turns <= most_turns && turns * size <= most_instructions;
}

} // namespace

llvm::PreservedAnalyses unroll_short_loops::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  auto& loops = manager.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  auto& evolution = manager.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::SmallVector<llvm::Loop*, 4> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (is_short(*loop, evolution)) found.push_back(loop);
  }
  if (found.empty()) return llvm::PreservedAnalyses::all();

  auto& dominators = manager.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = manager.getResult<llvm::AssumptionAnalysis>(function);
  auto& target = manager.getResult<llvm::TargetIRAnalysis>(function);
  auto& remarks = manager.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
  for (llvm::Loop* loop : found) {
    llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
    llvm::UnrollLoopOptions options{};
    options.Count = evolution.getSmallConstantTripCount(loop);
    options.Force = true;
    if (options.Count != 0) {
      llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &target, &remarks,
                       /*PreserveLCSSA=*/true);
    }
  }
  // After unrolling, arrays have constant indices, so they can become SSA values.
  passes::find_values(function, manager);
  return llvm::PreservedAnalyses::none();
}

} // namespace sinter::capture
