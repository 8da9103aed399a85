#include "load_pieces.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// The most arrays that one block reads: every load is compared with each of them.
constexpr std::size_t most_arrays = 16;

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
      const std::optional<llvm::APInt> distance = constant_difference(evolution, address, array.first);
      if (!distance || !distance->isSignedIntN(32)) continue;
      array.by_distance.try_emplace(distance->getSExtValue(), load);
      found = true;
      break;
    }
    if (!found && arrays.size() < most_arrays) arrays.push_back({address, load->getType(), {{0, load}}});
  }
  return arrays;
}

/// Whether all loads can be made at the place of the first.
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

}  // namespace

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
          m_pieces.push_back(next);
        }
        next.loads.clear();
      }
    }
  }
}

}  // namespace sinter::passes
