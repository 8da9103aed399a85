#include "repeated_passes.hpp"

#include <cstdint>
#include <memory>

#include "llvm/ADT/Any.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Analysis.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "passes/entry/work_item_loops.hpp"

namespace sinter::jit {
namespace {

/// Skips phis of one value, because LLVM adds them behind loops and removes them again.
const llvm::Value* value_behind(const llvm::Value* value) {
  while (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    if (phi->getNumIncomingValues() != 1) break;
    value = phi->getIncomingValue(0);
  }
  return value;
}

constexpr const char* combine_pass = "InstCombinePass";
/// When a loop is unrolled, LLVM drops its analysis of all loops in the same outermost loop, which contains everything
/// that a group runs. For entries with very many regions, a new analysis of these loops takes longer than everything
/// else.
constexpr std::size_t many_blocks = 1000;

const llvm::Function* function_in(const llvm::Any& what) {
  const auto* function = llvm::any_cast<const llvm::Function*>(&what);
  return function ? *function : nullptr;
}

/// Whether the pass can improve the loop. In functions whose bodies run several rows, the outer loops are Sinter's
/// own loops over groups and regions. Passes that recognise counting or the clearing of memory, or that save a branch,
/// improve nothing in these outer loops, but would take as long as for all inner loops together.
bool gains_in_loop(llvm::StringRef pass, const llvm::Loop& loop) {
  if (!passes::has_rows_together(*loop.getHeader()->getParent())) return true;
  if (pass == "LoopIdiomRecognizePass") return false;
  const bool is_ours = !loop.isInnermost() && llvm::findOptionMDForLoop(&loop, "llvm.loop.unroll.disable");
  const bool looks_at_all =
      pass == "SimpleLoopUnswitchPass" || pass == "IndVarSimplifyPass" || pass == "LoopFullUnrollPass";
  return !is_ours || !looks_at_all;
}

class where_changed : public llvm::PassInfoMixin<where_changed> {
public:
  where_changed(llvm::FunctionPassManager&& passes, llvm::FunctionPassManager&& behind)
      : m_passes(std::move(passes)), m_behind(std::move(behind)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const std::uint64_t before = shape_of(function);
    llvm::PreservedAnalyses kept = m_passes.run(function, analyses);
    if (shape_of(function) == before) return kept;
    kept.intersect(m_behind.run(function, analyses));
    return kept;
  }
  static bool isRequired() { return true; }

private:
  llvm::FunctionPassManager m_passes, m_behind;
};

}  // namespace

void add_where_changed(llvm::FunctionPassManager& to, llvm::FunctionPassManager&& passes,
                       llvm::FunctionPassManager&& behind) {
  to.addPass(where_changed(std::move(passes), std::move(behind)));
}

std::uint64_t shape_of(const llvm::Function& function) {
  std::uint64_t shape = 0;
  // LLVM's hash would take several times as long for so many values, so the code has a simpler hash.
  const auto add = [&](std::uint64_t value) {
    shape = (shape ^ value) * 0x9e3779b97f4a7c15;
    shape ^= shape >> 32;
  };
  const auto add_address = [&](const void* object) { add(reinterpret_cast<std::uintptr_t>(object)); };
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& each : block) {
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&each); phi && phi->getNumIncomingValues() == 1) continue;
      if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&each); jump && jump->isUnconditional()) continue;
      // Addresses of instructions are added, because a new function may get the address of a removed function.
      add_address(&each);
      add_address(each.getType());
      add(std::uint64_t{each.getOpcode()} << 32 | each.getRawSubclassOptionalData());
      if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&each)) add(comparison->getPredicate());
      for (const llvm::Value* operand : each.operands()) {
        if (!llvm::isa<llvm::BasicBlock>(operand)) add_address(value_behind(operand));
      }
    }
  }
  return shape;
}

void leave_out_repeated(llvm::PassInstrumentationCallbacks& callbacks) {
  /// The map gives the shape that a function has after InstCombine. The map contains functions in which InstCombine
  /// found nothing, and functions of several rows.
  const auto finished = std::make_shared<llvm::DenseMap<const llvm::Function*, std::uint64_t>>();
  callbacks.registerShouldRunOptionalPassCallback([=](llvm::StringRef pass, const llvm::Any& what) {
    if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&what)) return gains_in_loop(pass, **loop);
    const llvm::Function* function = function_in(what);
    if (!function) return true;
    // A body that runs several neighbours keeps the neighbours' values in registers. It has too many accesses to
    // compare each access with all others.
    if (pass == "LoopLoadEliminationPass") return !function->hasFnAttribute(passes::blocked_attribute);
    if (pass == "LoopUnrollPass") return function->size() < many_blocks;
    if (pass != combine_pass) return true;
    const auto found = finished->find(function);
    return found == finished->end() || found->second != shape_of(*function);
  });
  callbacks.registerAfterPassCallback(
      [=](llvm::StringRef pass, const llvm::Any& what, const llvm::PreservedAnalyses& kept) {
        if (pass != combine_pass) return;
        const llvm::Function* function = function_in(what);
        if (!function) return;
        // A run that changed something may leave work for the next run.
        if (kept.areAllPreserved() || passes::has_rows_together(*function)) (*finished)[function] = shape_of(*function);
      });
}

}  // namespace sinter::jit
