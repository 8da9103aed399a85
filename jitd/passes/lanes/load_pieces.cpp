#include "load_pieces.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "passes/pass_runner.hpp"
#include "wide_instructions.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned piece_bytes = 16;
constexpr unsigned line_bytes = 64;
// Of one loop; beyond this, LLVM would take longer than most launches.
constexpr std::size_t most_instructions = 600;
// Arrays that one block reads, to each of which every load is compared.
constexpr std::size_t most_arrays = 16;

/// Loads per piece; 0: it can't be in one.
unsigned piece_length(const llvm::LoadInst& load, const lane_shapes& shapes) {
  const llvm::DataLayout& layout = load.getModule()->getDataLayout();
  llvm::Type* type = load.getType();
  const bool partial = shapes.mask(load.getParent()) == lane_mask::partial;
  if (!load.isSimple() || !llvm::VectorType::isValidElementType(type) || partial) return 0;
  const std::uint64_t bits = layout.getTypeSizeInBits(type);
  if (bits != 32 && bits != 64) return 0;
  const lane_shape shape = shapes.of(load.getPointerOperand());
  if (shape.is_uniform() || is_consecutive(shape, type, layout)) return 0;
  const auto length = static_cast<unsigned>(8 * piece_bytes / bits);
  return length <= shapes.facts().lanes ? length : 0;
}

/// Loads of one type whose addresses have constant distances, by distance.
struct neighbour_loads {
  const llvm::SCEV* first;
  llvm::Type* type;
  std::map<std::int64_t, llvm::LoadInst*> by_distance;
};

std::vector<neighbour_loads> neighbours_in(llvm::ArrayRef<llvm::LoadInst*> loads, llvm::ScalarEvolution& evolution) {
  std::vector<neighbour_loads> arrays;
  for (llvm::LoadInst* load : loads) {
    const llvm::SCEV* address = evolution.getSCEV(load->getPointerOperand());
    bool found = false;
    for (neighbour_loads& array : arrays) {
      if (array.type != load->getType()) continue;
      const std::optional<llvm::APInt> distance = evolution.computeConstantDifference(address, array.first);
      if (!distance || !distance->isSignedIntN(32)) continue;
      array.by_distance.try_emplace(distance->getSExtValue(), load);
      found = true;
      break;
    }
    if (!found && arrays.size() < most_arrays) arrays.push_back({address, load->getType(), {{0, load}}});
  }
  return arrays;
}

/// All loads can be made where the first of them is.
bool can_be_joined(llvm::ArrayRef<llvm::LoadInst*> in_order, llvm::AAResults& aliases) {
  auto next = in_order.begin() + 1;
  for (llvm::Instruction* each = in_order.front()->getNextNode(); next != in_order.end(); each = each->getNextNode()) {
    if (each == *next) {
      ++next;
      continue;
    }
    if (!llvm::isGuaranteedToTransferExecutionToSuccessor(each)) return false;
    if (!each->mayWriteToMemory()) continue;
    for (auto later = next; later != in_order.end(); ++later) {
      if (llvm::isModSet(aliases.getModRefInfo(each, llvm::MemoryLocation::get(*later)))) return false;
    }
  }
  return true;
}

/// How many iterations of the loop become one; 0: none.
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
  while (most > least && body->size() * most > most_instructions) most /= 2;
  const unsigned iterations = evolution.getSmallConstantTripCount(&loop);
  while (iterations != 0 && most > iterations) most /= 2;
  return most >= least && body->size() * most <= most_instructions ? most : 0;
}

}  // namespace

load_pieces::load_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::optional<pass_runner> runner;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallVector<llvm::LoadInst*, 16> loads;
    for (llvm::Instruction& instruction : block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && piece_length(*load, shapes) != 0) loads.push_back(load);
    }
    if (loads.size() < 2) continue;
    if (!runner) runner.emplace(&machine).run(function, llvm::FunctionPassManager());  // registers its analyses
    auto& evolution = runner->functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& aliases = runner->functions.getResult<llvm::AAManager>(function);
    for (const neighbour_loads& array : neighbours_in(loads, evolution)) {
      const auto size = static_cast<std::int64_t>(layout.getTypeStoreSize(array.type));
      piece next{{}, 0};
      std::int64_t expected = 0;
      for (const auto& [distance, load] : array.by_distance) {
        if (distance != expected) next.loads.clear();
        expected = distance + size;
        next.loads.push_back(load);
        if (next.loads.size() != piece_bytes / static_cast<unsigned>(size)) continue;
        llvm::SmallVector<llvm::LoadInst*, 4> in_order(next.loads);
        llvm::sort(in_order, [](const llvm::LoadInst* a, const llvm::LoadInst* b) { return a->comesBefore(b); });
        if (can_be_joined(in_order, aliases)) {
          next.start = -size * (llvm::find(next.loads, in_order.front()) - next.loads.begin());
          for (const llvm::LoadInst* each : next.loads) m_numbers[each] = static_cast<unsigned>(m_pieces.size());
          m_pieces.push_back(next);
        }
        next.loads.clear();
      }
    }
  }
}

const load_pieces::piece* load_pieces::of(const llvm::LoadInst& load) const {
  const auto found = m_numbers.find(&load);
  return found == m_numbers.end() ? nullptr : &m_pieces[found->second];
}

bool unroll_rows(llvm::Function& function, llvm::TargetMachine& machine, lane_facts facts) {
  pass_runner runner(&machine);
  runner.run(function, llvm::FunctionPassManager());  // registers its analyses
  auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return false;
  const llvm::PostDominatorTree postdominators(function);
  const lane_shapes shapes(function, loops, postdominators, facts);
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& aliases = runner.functions.getResult<llvm::AAManager>(function);
  llvm::SmallVector<std::pair<llvm::Loop*, unsigned>, 4> chosen;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() != 1 || !loop->isLoopSimplifyForm() || shapes.is_divergent(loop)) continue;
    if (const unsigned count = iterations_at_once(*loop, shapes, evolution, aliases)) chosen.emplace_back(loop, count);
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
    options.SCEVExpansionBudget = 8;
    llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks, /*PreserveLCSSA=*/true);
  }
  return !chosen.empty();
}

llvm::SmallVector<llvm::Value*, 4> transposed(llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> of_lanes) {
  const auto lanes = static_cast<unsigned>(of_lanes.size());
  const unsigned length = llvm::cast<llvm::FixedVectorType>(of_lanes.front()->getType())->getNumElements();
  // Vector t: pieces of lanes t, length + t, 2 * length + t ... What is exchanged from then on stays within 16 bytes,
  // which all machines do in one instruction.
  llvm::SmallVector<llvm::Value*, 4> rows;
  for (unsigned t = 0; t < length; ++t) {
    llvm::SmallVector<llvm::Value*, 4> pieces;
    for (unsigned lane = t; lane < lanes; lane += length) pieces.push_back(of_lanes[lane]);
    rows.push_back(llvm::concatenateVectors(builder, pieces));
  }
  llvm::SmallVector<int, 16> low, high;
  for (unsigned first = 0; first < lanes; first += length) {
    for (unsigned i = first; i < first + length / 2; ++i) {
      for (unsigned which : {i, lanes + i}) {
        low.push_back(static_cast<int>(which));
        high.push_back(static_cast<int>(which + length / 2));
      }
    }
  }
  for (unsigned step = 1; step < length; step *= 2) {
    llvm::SmallVector<llvm::Value*, 4> zipped;
    for (unsigned i = 0; i < length / 2; ++i) {
      for (const auto& mask : {low, high})
        zipped.push_back(builder.CreateShuffleVector(rows[i], rows[i + length / 2], mask));
    }
    rows = zipped;
  }
  return rows;
}

}  // namespace sinter::passes
