#include "tile_gain.hpp"

#include <algorithm>
#include <cstdio>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "passes/machine/instruction_costs.hpp"

namespace sinter::passes {
namespace {

// Bytes that a core gets from memory while others do the same; bytes of a vector; and the cost of each row of a stage
// beside its work-items: places in rings, work-items at the border, neighbours' values that are loaded again.
constexpr double bytes_per_cycle = 3, vector_bytes = 32, share_of_rows = 0.1;
// Estimates are wrong by as much.
constexpr double certain_gain = 1.5;

double work_of(llvm::Function& kernel) {
  const llvm::DominatorTree tree(kernel);
  const llvm::LoopInfo loops(tree);
  double work = 0;
  for (const llvm::BasicBlock& block : kernel) {
    for (const llvm::Instruction& each : block) work += cost_of(each).work * runs_of(block, loops);
  }
  return work;
}

double recomputed_share(const tile_plan& plan, const reach& halo) {
  double share = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (plan.tiles[d] > 1)
      share *= 1 + static_cast<double>(halo.high[d] - halo.low[d]) / static_cast<double>(plan.tile[d]);
  }
  return share - 1;
}

}  // namespace

tile_estimate estimate_tiles(const stencil_fusion& stencils) {
  tile_estimate estimate;
  double items = 1, element = 1;
  for (std::size_t s = 0; s < stencils.stages.size(); ++s)
    items = std::max(items, static_cast<double>(size_of(stencils.stages[s].range)));
  for (const stage_result& each : stencils.request.results) {
    element = std::max(element, static_cast<double>(each.element_bytes));
    const std::uint64_t bytes = each.element_bytes * size_of(stencils.stages[each.writer].range);
    estimate.largest_result = std::max(estimate.largest_result, bytes);
  }
  estimate.rows_are_loops = stencils.request.rows_are_loops;
  estimate.saved_cycles = static_cast<double>(stencils.saved_bytes) / items / bytes_per_cycle;
  for (std::size_t s = 0; s < stencils.stages.size(); ++s) {
    const auto& placed = stencils.plan.stages[s];
    if (!placed.needed) continue;
    const double cycles = work_of(*stencils.stages[s].kernel) * element / vector_bytes;
    estimate.extra_cycles += cycles * (recomputed_share(stencils.plan, placed.halo) + share_of_rows);
  }
  return estimate;
}

std::string why_tiles_do_not_pay(const tile_estimate& estimate, std::uint64_t cache_bytes) {
  // Groups of a row with barriers and masks took up to three times as long as kernels one by one (benchmarks/stencils).
  if (!estimate.rows_are_loops) {
    return "a kernel has a loop that its data ends, a call or a private array, so that rows are no loops of vectors";
  }
  // A reader finds the last half at least of what has just been written.
  if (estimate.largest_result < cache_bytes / 2)
    return "results of " + std::to_string(estimate.largest_result / 1024) + " KiB stay in the cache between kernels";
  if (estimate.saved_cycles >= certain_gain * estimate.extra_cycles) return "";
  char text[128];
  std::snprintf(text, sizeof(text), "tiles save %.1f cycles of each work-item and cost %.1f", estimate.saved_cycles,
                estimate.extra_cycles);
  return text;
}

}  // namespace sinter::passes
