#include "bounded_work.hpp"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// The runtime has measured the kernel's earlier launches. With this limit, a later launch takes at most most_iterations
// times as long as an earlier one.
constexpr unsigned most_iterations = 64;

/// Returns the largest number of iterations of the loop and of the loops inside it together. Returns 0 if the number is
/// unknown or too large.
unsigned iterations(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  unsigned inside = 1;
  for (const llvm::Loop* inner : loop) {
    const unsigned of_inner = iterations(*inner, evolution);
    if (of_inner == 0) return 0;
    inside += of_inner;
  }
  const unsigned trips = evolution.getSmallConstantMaxTripCount(&loop);
  return trips > most_iterations || inside > most_iterations ? 0 : trips * inside;
}

} // namespace

bool is_bounded(llvm::Function& work_item) {
  for (const llvm::Instruction& instruction : llvm::instructions(work_item)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && !llvm::isa<llvm::IntrinsicInst>(call) && !call->hasFnAttr(llvm::Attribute::WillReturn)) return false;
  }
  pass_runner runner;
  runner.run(work_item, llvm::FunctionPassManager());
  const auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(work_item);
  llvm::ReversePostOrderTraversal<const llvm::Function*> order(&work_item);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return false;
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(work_item);
  return llvm::all_of(loops, [&](const llvm::Loop* loop) {
    const unsigned total = iterations(*loop, evolution);
    return total != 0 && total <= most_iterations;
  });
}

} // namespace sinter::passes
