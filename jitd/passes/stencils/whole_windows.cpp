#include "whole_windows.hpp"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// A loop is unrolled only if it has at most `longest_window` iterations, and if the kernel has at most
// `most_instructions` instructions after unrolling. Windows of 17 x 17 elements stay below these limits.
constexpr unsigned longest_window = 33;
constexpr std::uint64_t most_instructions = 6000;
// The lengths of inner loops may become known once outer loops are unrolled.
constexpr int most_rounds = 3;

/// The number of instructions of the unrolled loop. Returns 0 if the loop will not be unrolled.
std::uint64_t straight_size(const llvm::Loop& loop, llvm::ScalarEvolution& numbers) {
  const unsigned turns = numbers.getSmallConstantTripCount(&loop);
  if (turns == 0 || turns > longest_window) return 0;
  std::uint64_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    bool is_inner = false;
    for (const llvm::Loop* inner : loop.getSubLoops()) is_inner |= inner->contains(block);
    if (!is_inner) size += block->size();
  }
  for (const llvm::Loop* inner : loop.getSubLoops()) {
    const std::uint64_t part = straight_size(*inner, numbers);
    if (part == 0) {
      for (const llvm::BasicBlock* block : inner->blocks()) size += block->size();
    }
    size += part;
  }
  return size * turns;
}

bool mark_windows(llvm::Function& kernel) {
  llvm::DominatorTree tree(kernel);
  llvm::LoopInfo loops(tree);
  if (loops.empty()) return false;
  llvm::AssumptionCache assumptions(kernel);
  const llvm::TargetLibraryInfoImpl library_of_target(kernel.getParent()->getTargetTriple());
  llvm::TargetLibraryInfo library(library_of_target);
  llvm::ScalarEvolution numbers(kernel, library, assumptions, tree, loops);
  std::uint64_t left = most_instructions;
  llvm::SmallPtrSet<const llvm::Loop*, 8> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    // The inner loop's size is part of the outer loop's size.
    const bool is_counted = found.contains(loop->getParentLoop());
    const std::uint64_t size = straight_size(*loop, numbers);
    if (size == 0 || (!is_counted && size > left)) continue;
    if (!is_counted) left -= size;
    llvm::LLVMContext& context = kernel.getContext();
    llvm::MDNode* whole = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.full"));
    loop->setLoopID(llvm::makePostTransformationMetadata(context, nullptr, {}, {whole}));
    found.insert(loop);
  }
  return !found.empty();
}

}  // namespace

void unroll_windows(llvm::Function& kernel) {
  pass_runner runner;
  for (int round = 0; round < most_rounds; ++round) {
    llvm::FunctionPassManager ready;
    ready.addPass(llvm::LoopSimplifyPass());
    runner.run(kernel, std::move(ready));
    if (!mark_windows(kernel)) return;
    llvm::FunctionPassManager passes;
    llvm::LoopUnrollOptions whole_loops;
    whole_loops.setPartial(false).setRuntime(false).setPeeling(false).setUpperBound(false);
    passes.addPass(llvm::LoopUnrollPass(whole_loops));
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::CorrelatedValuePropagationPass());
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().sinkCommonInsts(true)));
    runner.run(kernel, std::move(passes));
  }
}

}  // namespace sinter::passes
