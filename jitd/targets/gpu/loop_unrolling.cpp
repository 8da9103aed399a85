#include "loop_unrolling.hpp"

#include <algorithm>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "passes/pass_runner.hpp"
#include "stride_loops.hpp"

namespace sinter::jit::gpu {
namespace {

constexpr unsigned iterations = 8;
// The limit for the instructions of one iteration, so that eight iterations fit the instruction cache.
constexpr unsigned most_instructions = 64;
// The limit for the instructions of all iterations of a loop that is unrolled completely, such as the loop over a
// tile's row. LLVM's own limit is smaller.
constexpr unsigned most_unrolled_instructions = 512;
// Limits for loops of unknown length: each work-item reads this many bytes at once, by joining at least
// `least_together` and at most `most_together` iterations. Such unrolling helps NVIDIA's compiler in small kernels
// only.
constexpr unsigned bytes_together = 32, least_together = 4, most_together = 16, most_unknown_instructions = 32;
// After such unrolling, some iterations remain. In loops where the remaining iterations do not run one by one, it pays
// to read this many bytes at once.
constexpr unsigned more_bytes_together = 64;
// Loops of known length are such loops, but there the larger number of bytes pays only from this length on. Shorter
// loops are mostly loops of a group along a row. More loads at once need more registers, so that fewer groups fit on a
// multiprocessor (a layer norm of rows of 8192 by groups of 256 took 1.15 times as long).
constexpr unsigned least_long = 256;

struct loop_size {
  unsigned instructions = 0, bytes_read = 0;

  /// Returns how many iterations of a loop of unknown length have to be joined, so that the loop reads `bytes` at once.
  /// The result is 0 if no iterations are to be joined.
  unsigned iterations_together(unsigned bytes = bytes_together) const {
    if (bytes_read == 0 || instructions == 0 || instructions > most_unknown_instructions) return 0;
    const unsigned wanted = llvm::PowerOf2Ceil((bytes + bytes_read - 1) / bytes_read);
    return std::clamp(wanted, least_together, instructions > most_unknown_instructions / 2 ? 8 : most_together);
  }
};

/// Returns the size of one iteration. The result has 0 instructions if the iteration is too large or has calls.
loop_size size_of(const llvm::Loop& loop) {
  const llvm::DataLayout& layout = loop.getHeader()->getDataLayout();
  loop_size size;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || !llvm::isa<llvm::IntrinsicInst>(call))) return {};
      size.instructions += !instruction.isDebugOrPseudoInst();
      if (!llvm::isa<llvm::LoadInst>(instruction)) continue;
      size.bytes_read +=
          static_cast<unsigned>(layout.getTypeStoreSize(instruction.getType()).getKnownMinValue());
    }
  }
  return size.instructions <= most_instructions ? size : loop_size{};
}

/// Whether the loop reads memory in equal steps. Loops whose addresses come from another load are mostly short, such as
/// loops over rows of sparse matrices.
bool reads_in_steps(llvm::ScalarEvolution& evolution, const llvm::Loop& loop) {
  return llvm::all_of(loop.blocks(), [&](llvm::BasicBlock* block) {
    return llvm::all_of(*block, [&](llvm::Instruction& each) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      if (!load) return true;
      const llvm::SCEV* place = evolution.getSCEV(load->getPointerOperand());
      return llvm::isa<llvm::SCEVAddRecExpr>(place) || evolution.isLoopInvariant(place, &loop);
    });
  });
}

/// Whether the program itself has set options for unrolling the loop. Such options are kept.
bool is_spoken_for(const llvm::Loop& loop) {
  constexpr const char* options[] = {"llvm.loop.unroll.count", "llvm.loop.unroll.disable", "llvm.loop.unroll.full",
                                     "llvm.loop.unroll.enable"};
  return llvm::any_of(options, [&](const char* each) { return llvm::findOptionMDForLoop(&loop, each) != nullptr; });
}

/// In kernels with tiles, a work-item's loop over the tile's rows begins at a row that depends on the work-item. If the
/// loop has the same number of iterations for each possible first row, its condition tests a new counter of iterations
/// instead.
void count_iterations(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  if (!before || !latch || (exiting != latch && exiting != loop.getHeader())) return;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  const llvm::SCEV* taken = evolution.getBackedgeTakenCount(&loop);
  if (!branch || llvm::isa<llvm::SCEVConstant, llvm::SCEVCouldNotCompute>(taken)) return;
  const llvm::ConstantRange range = evolution.getUnsignedRange(taken);
  const llvm::APInt* length = range.getSingleElement();
  if (!length || !length->ult(most_unrolled_instructions)) return;

  llvm::IRBuilder<> builder(&loop.getHeader()->front());
  llvm::PHINode* counter = builder.CreatePHI(builder.getInt32Ty(), 2);
  builder.SetInsertPoint(latch->getTerminator());
  llvm::Value* next = builder.CreateAdd(counter, builder.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  counter->addIncoming(builder.getInt32(0), before);
  counter->addIncoming(next, latch);
  builder.SetInsertPoint(branch);
  const bool stays_if_true = loop.contains(branch->getSuccessor(0));
  branch->setCondition(builder.CreateICmp(stays_if_true ? llvm::CmpInst::ICMP_NE : llvm::CmpInst::ICMP_EQ, counter,
                                          builder.getInt32(static_cast<std::uint32_t>(length->getZExtValue()))));
  evolution.forgetLoop(&loop);
}

/// Joins iterations of loops whose step is no constant. The joined iterations read about `bytes` at once. Their number
/// is at most `most`.
bool unroll_stride_loops(llvm::Function& kernel, passes::pass_runner& runner, unsigned bytes, unsigned most) {
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::LoopSimplifyPass());
  runner.run(kernel, std::move(simplify));
  bool changed = false;
  for (llvm::Loop* loop : runner.functions.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder()) {
    const unsigned together =
        is_spoken_for(*loop) ? 0 : std::min(size_of(*loop).iterations_together(bytes), most);
    changed |= together != 0 && unroll_stride_loop(*loop, together);
  }
  if (changed) runner.functions.invalidate(kernel, llvm::PreservedAnalyses::none());
  return changed;
}

}  // namespace

void unroll_loops(llvm::Function& kernel) {
  passes::pass_runner runner;
  // An unrolled loop leaves some iterations to the old loop. The second call unrolls the old loops, too, with fewer
  // iterations at a time. The last iterations run one by one.
  if (unroll_stride_loops(kernel, runner, more_bytes_together, most_together))
    unroll_stride_loops(kernel, runner, bytes_together, least_together);
  auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(kernel);
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    count_iterations(*loop, evolution);
    if (!loop->isInnermost() || is_spoken_for(*loop)) continue;
    const unsigned count = evolution.getSmallConstantTripCount(loop);
    const loop_size size = size_of(*loop);
    const unsigned together = size.iterations_together();
    if (count == 0 && together != 0 && loop->getExitingBlock() == loop->getLoopLatch() &&
        evolution.hasLoopInvariantBackedgeTakenCount(loop) && reads_in_steps(evolution, *loop)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", together);
    }
    if (count <= 2 * iterations || count % iterations != 0 || size.instructions == 0) continue;
    const unsigned wanted = size.iterations_together(more_bytes_together);
    const bool takes_more = wanted > iterations && count >= least_long && count % wanted == 0;
    const unsigned joined = takes_more ? wanted : iterations;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count",
                                  count * size.instructions <= most_unrolled_instructions ? count : joined);
  }
}

}  // namespace sinter::jit::gpu
