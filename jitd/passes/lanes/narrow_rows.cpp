#include "narrow_rows.hpp"

#include <algorithm>
#include <optional>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "passes/machine/instruction_costs.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// The assumed gain if LLVM vectorises such a loop. LLVM does not vectorise a loop that it has unrolled: an unrolled
// loop over 32 bytes took 5.3 times as long as a vectorised loop on a Zen 4.
constexpr double gain_of_byte_vectors = 5;
// Shorter rows are mostly elements of a structure.
constexpr unsigned shortest_byte_row = 16;
constexpr double unknown_iterations = 8;
constexpr llvm::StringLiteral stays = "llvm.loop.unroll.disable", named = "sinter.narrow_row";

bool is_narrow(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && load->isSimple() && (load->getType()->isIntegerTy(8) || load->getType()->isIntegerTy(16));
}

bool has_narrow_loads(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (llvm::any_of(*block, is_narrow)) return true;
  }
  return false;
}

bool is_call(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
}

class row_reader {
public:
  row_reader(llvm::Loop& loop, llvm::ScalarEvolution& evolution) : m_loop(loop), m_evolution(evolution) {}

  bool is_row() const {
    const unsigned iterations = m_evolution.getSmallConstantTripCount(&m_loop);
    if (m_loop.getNumBlocks() != 1 || (iterations != 0 && iterations < shortest_byte_row)) return false;
    if (!m_evolution.hasLoopInvariantBackedgeTakenCount(&m_loop)) return false;
    bool combines = false, reads = false;
    for (llvm::Instruction& each : *m_loop.getHeader()) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&each)) {
        if (is_counter(*phi)) continue;
        if (!combines_integers(*phi)) return false;
        combines = true;
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&each)) {
        if (!load->isSimple() || !goes_along(*load)) return false;
        reads |= is_narrow(*load);
      } else if (each.mayReadOrWriteMemory() || is_call(each)) {
        return false;
      }
    }
    return combines && reads;
  }

  double work() const {
    const unsigned iterations = m_evolution.getSmallConstantTripCount(&m_loop);
    double work = 0;
    for (const llvm::Instruction& each : *m_loop.getHeader()) work += cost_of(each).work;
    return work * (iterations != 0 ? iterations : unknown_iterations);
  }

private:
  bool is_counter(llvm::PHINode& phi) const {
    return m_evolution.isSCEVable(phi.getType()) && llvm::isa<llvm::SCEVAddRecExpr>(m_evolution.getSCEV(&phi));
  }
  bool combines_integers(llvm::PHINode& phi) const {
    llvm::RecurrenceDescriptor result;
    return phi.getType()->isIntegerTy() && llvm::RecurrenceDescriptor::isReductionPHI(&phi, &m_loop, result);
  }
  /// Whether the iterations of the loop read neighbouring elements, or all iterations read the same address.
  bool goes_along(llvm::LoadInst& load) const {
    const llvm::SCEV* place = m_evolution.getSCEV(load.getPointerOperand());
    if (m_evolution.isLoopInvariant(place, &m_loop)) return true;
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(place);
    if (!moving || moving->getLoop() != &m_loop || !moving->isAffine()) return false;
    const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(m_evolution));
    const std::uint64_t bytes = load.getDataLayout().getTypeStoreSize(load.getType());
    return by && by->getAPInt().abs() == bytes;
  }

  llvm::Loop& m_loop;
  llvm::ScalarEvolution& m_evolution;
};

/// The number of an innermost loop, or nothing if it has no number. Copies of a loop keep its number.
std::optional<unsigned> number_of(const llvm::Loop& loop) { return llvm::getOptionalIntLoopAttribute(&loop, named); }

}  // namespace

narrow_rows::narrow_rows(llvm::Function& work_item, llvm::TargetMachine& machine) {
  llvm::DominatorTree tree(work_item);
  llvm::LoopInfo loops(tree);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch() || !has_narrow_loads(*loop)) continue;
    m_before.emplace_back(loop->getLoopLatch()->getTerminator(), loop->getLoopID());
    llvm::addStringMetadataToLoop(loop, named.data(), static_cast<unsigned>(m_before.size()));
    llvm::addStringMetadataToLoop(loop, stays.data(), 1);
  }
  if (m_before.empty()) return;

  llvm::ValueToValueMapTy map;
  llvm::Function* const copy = llvm::CloneFunction(&work_item, map);
  {
    pass_runner runner(&machine);
    llvm::FunctionPassManager passes;
    llvm::LoopPassManager rotation;
    rotation.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotation)));
    runner.run(*copy, std::move(passes));
    llvm::LoopInfo& found = runner.functions.getResult<llvm::LoopAnalysis>(*copy);
    auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(*copy);
    llvm::SmallVector<bool, 2> is_row(m_before.size(), false);
    llvm::SmallPtrSet<const llvm::BasicBlock*, 2> in_rows;
    double rows = 0, others = 0;
    for (llvm::Loop* loop : found.getLoopsInPreorder()) {
      const std::optional<unsigned> number = loop->isInnermost() ? number_of(*loop) : std::nullopt;
      const row_reader reader(*loop, evolution);
      if (!number || !loop->getLoopPreheader() || !reader.is_row()) continue;
      is_row[*number - 1] = true;
      rows += runs_of(*loop->getLoopPreheader(), found) * reader.work();
      in_rows.insert(loop->getHeader());
    }
    for (const llvm::BasicBlock& block : *copy) {
      for (const llvm::Instruction& each : block) {
        if (!in_rows.contains(&block)) others += runs_of(block, found) * cost_of(each).work;
      }
    }
    m_share = 1 - rows / std::max(rows + others, 1.0) * (1 - 1 / gain_of_byte_vectors);
    for (std::size_t i = 0; i < m_before.size(); ++i) {
      if (!is_row[i]) m_before[i].first->setMetadata(llvm::LLVMContext::MD_loop, m_before[i].second);
    }
  }
  copy->eraseFromParent();
}

void narrow_rows::forget() {
  for (const auto& [end, before] : m_before) end->setMetadata(llvm::LLVMContext::MD_loop, before);
}

}  // namespace sinter::passes
