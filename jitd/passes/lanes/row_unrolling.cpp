#include "row_unrolling.hpp"

#include <algorithm>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned line_bytes = 64;
// The limit for one loop. Beyond this limit, LLVM would take longer than most launches.
constexpr std::size_t most_row_instructions = 600;

// Metadata at the end of a loop: how many iterations were joined to one.
constexpr llvm::StringLiteral joined_name = "sinter.joined_iterations";

void state_joined(const llvm::Loop& loop, unsigned iterations) {
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), iterations);
  loop.getLoopLatch()->getTerminator()->setMetadata(
      joined_name, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
}

/// How many iterations of the loop should be joined to one. Returns 0 if the loop should stay as it is.
unsigned iterations_at_once(const llvm::Loop& loop, const lane_shapes& shapes, llvm::ScalarEvolution& evolution,
                            llvm::AAResults& aliases) {
  llvm::BasicBlock* body = loop.getHeader();
  const llvm::DataLayout& layout = body->getModule()->getDataLayout();
  unsigned least = 0, most = 0;
  for (llvm::Instruction& instruction : *body) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const unsigned length = load ? piece_length(*load, shapes) : 0;
    if (length == 0) continue;
    const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand()));
    const auto* step = address && address->getLoop() == &loop && address->isAffine()
                           ? llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution))
                           : nullptr;
    const auto size = static_cast<unsigned>(layout.getTypeStoreSize(load->getType()));
    if (!step || step->getAPInt().abs() != size) continue;
    const llvm::MemoryLocation row =
        llvm::MemoryLocation::getBeforeOrAfter(load->getPointerOperand(), load->getAAMetadata());
    const bool written = llvm::any_of(*body, [&](llvm::Instruction& each) {
      return each.mayWriteToMemory() && llvm::isModSet(aliases.getModRefInfo(&each, row));
    });
    if (written) continue;
    least = std::max(least, length);
    most = std::max(most, line_bytes / size);
  }
  while (most > least && body->size() * most > most_row_instructions) most /= 2;
  const unsigned iterations = evolution.getSmallConstantTripCount(&loop);
  while (iterations != 0 && most > iterations) most /= 2;
  return most >= least && body->size() * most <= most_row_instructions ? most : 0;
}

}  // namespace

unsigned joined_iterations(const llvm::Loop& loop) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  const llvm::MDNode* node = latch ? latch->getTerminator()->getMetadata(joined_name) : nullptr;
  if (!node) return 1;
  return static_cast<unsigned>(llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue());
}

bool unroll_rows(lane_region& region) {
  llvm::Function& function = region.function();
  const lane_analyses& known = region.known();
  if (known.loops.empty()) return false;
  pass_runner runner(&region.machine());
  runner.run(function, llvm::FunctionPassManager());  // runs no pass, only registers the analyses
  auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& aliases = runner.functions.getResult<llvm::AAManager>(function);
  llvm::SmallVector<std::pair<llvm::Loop*, unsigned>, 4> chosen;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() != 1 || !loop->isLoopSimplifyForm()) continue;
    if (known.shapes.is_divergent(known.loops.getLoopFor(loop->getHeader()))) continue;
    if (const unsigned count = iterations_at_once(*loop, known.shapes, evolution, aliases))
      chosen.emplace_back(loop, count);
  }
  auto& tree = runner.functions.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = runner.functions.getResult<llvm::AssumptionAnalysis>(function);
  const auto& target = runner.functions.getResult<llvm::TargetIRAnalysis>(function);
  auto& remarks = runner.functions.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
  for (const auto& [loop, count] : chosen) {
    llvm::UnrollLoopOptions options{};
    options.Count = count;
    options.Runtime = evolution.getSmallConstantTripMultiple(loop) % count != 0;
    options.AllowExpensiveTripCount = true;
    set_expansion_budget(options, 8);
    llvm::Loop* rest = nullptr;
    const auto result = llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks,
                                         /*PreserveLCSSA=*/true, &rest);
    if (result == llvm::LoopUnrollResult::PartiallyUnrolled) state_joined(*loop, count);
    // The remaining loop also runs rows that are shorter than one joined iteration.
    if (rest) state_joined(*rest, count);
  }
  if (!chosen.empty()) region.changed();
  return !chosen.empty();
}

}  // namespace sinter::passes
