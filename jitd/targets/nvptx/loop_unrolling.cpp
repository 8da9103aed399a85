#include "loop_unrolling.hpp"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "passes/pass_runner.hpp"

namespace sinter::jit::nvptx {
namespace {

constexpr unsigned iterations = 8;
// Of one iteration; eight of them stay in the instruction cache.
constexpr unsigned most_instructions = 64;
// Of all iterations of a loop that goes away, as that over the elements of a tile's row; LLVM itself takes fewer.
constexpr unsigned most_unrolled_instructions = 512;

/// Of one iteration; 0: too many, or calls.
unsigned length_of(const llvm::Loop& loop) {
  unsigned count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || !llvm::isa<llvm::IntrinsicInst>(call))) return 0;
      count += !instruction.isDebugOrPseudoInst();
    }
  }
  return count <= most_instructions ? count : 0;
}

}  // namespace

void hint_unrolling(llvm::Function& kernel) {
  passes::pass_runner runner;
  runner.run(kernel, llvm::FunctionPassManager());  // makes analyses known
  auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(kernel);
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const unsigned count = loop->isInnermost() ? evolution.getSmallConstantTripCount(loop) : 0;
    if (count <= 2 * iterations || count % iterations != 0) continue;
    const unsigned length = length_of(*loop);
    if (length == 0) continue;
    // What the program says about its loop stands.
    if (llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.count") ||
        llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.disable") ||
        llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.full") ||
        llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.enable")) {
      continue;
    }
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count",
                                  count * length <= most_unrolled_instructions ? count : iterations);
  }
}

}  // namespace sinter::jit::nvptx
