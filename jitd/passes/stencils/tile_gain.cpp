#include "tile_gain.hpp"

#include <algorithm>
#include <cstdio>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "passes/called_names.hpp"
#include "passes/machine/instruction_costs.hpp"

namespace sinter::passes {
namespace {

// memory_bytes_per_cycle: bytes that a core gets from memory while all other cores load, too. cache_bytes_per_cycle:
// bytes that a core gets from shared caches at such a time. vector_bytes: bytes of a vector. share_of_rows: the
// additional cost of tiles as a share of a row's work, for addresses in rings, work-items at the border, and
// neighbours' values that are loaded again.
constexpr double memory_bytes_per_cycle = 3, cache_bytes_per_cycle = 8, vector_bytes = 32, share_of_rows = 0.07;
// Estimates for CPUs may be wrong by this factor.
constexpr double certain_gain = 1.5;

/// The work of a kernel without the computation of its indices, because indices are equal in all lanes of a row or grow
/// by constant steps.
double work_of(llvm::Function& kernel) {
  const llvm::DominatorTree tree(kernel);
  const llvm::LoopInfo loops(tree);
  llvm::SmallPtrSet<const llvm::Value*, 32> indices;
  const auto is_index = [&](const llvm::Value* value) {
    return llvm::isa<llvm::Constant, llvm::Argument, llvm::BasicBlock>(value) || indices.contains(value);
  };
  double work = 0;
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&kernel)) {
    for (const llvm::Instruction& each : *block) {
      const bool is_access = each.mayReadOrWriteMemory() && called_name(each) != "__sinter_global_id";
      if (!is_access && llvm::all_of(each.operands(), is_index)) {
        indices.insert(&each);
      } else if (!llvm::isa<llvm::GetElementPtrInst>(each)) {
        work += cost_of(each).work * runs_of(*block, loops);
      }
    }
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

// The following constants are for GPUs. gpu_cache_bytes: half of the largest caches of today, which are a few times as
// fast as memory. instructions_per_byte: instructions that run in the time in which memory delivers one byte, assumed
// to be half of the possible number. instructions_per_cached_byte: instructions that run in the time in which the cache
// delivers one byte. instructions_between_kernels: instructions that all work-items together could run in the time
// between two kernels of a graph. instructions_of_stage: instructions in addition to a stage's own, for addresses in
// the tile and for barriers.
constexpr std::uint64_t gpu_cache_bytes = 24 << 20;
// A GPU runs kernels with smaller results in less time than a launch takes. On an H200, code with tiles for such small
// results was 0.9 to 2 times as fast as the kernels one by one. So graphs measure whether the tiles or the single
// kernels are faster.
constexpr std::uint64_t gpu_small_bytes = 8 << 20;
constexpr double instructions_per_byte = 4, instructions_per_cached_byte = 2, instructions_between_kernels = 2e7;
constexpr double instructions_of_stage = 12;
// Estimates for GPUs are wrong by less than this factor.
constexpr double surely = 4;
// Nothing is measured for lists that the program did not ask to fuse. The cost is overestimated by more than this
// factor: tiles of a blur, with an estimated gain of 0.7 times the cost, were 2.6 times as fast as the kernels alone.
constexpr double list_gain = 2;

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
  estimate.saved_bytes = static_cast<double>(stencils.saved_bytes) / items;
  for (std::size_t s = 0; s < stencils.stages.size(); ++s) {
    const auto& placed = stencils.plan.stages[s];
    // Reductions cost nothing extra, because they add up each element only once.
    if (!placed.needed || stencils.stages[s].visits) continue;
    const double cycles = work_of(*stencils.stages[s].kernel) * element / vector_bytes;
    estimate.extra_cycles += cycles * (recomputed_share(stencils.plan, placed.halo) + share_of_rows);
  }
  return estimate;
}

gain_verdict verdict_on_tiles(const tile_estimate& estimate, const tile_machine& machine) {
  using kind = gain_verdict::kind;
  // All pipelines of 256 x 256 floats were faster with tiles, but half of the pipelines of 64 x 64 floats were slower
  // (benchmarks/stencils). Between these sizes, a blur of 256 x 256 numbers of 16 bits was 2.7 times as fast.
  if (estimate.largest_result < machine.core_cache_bytes / 4) {
    const bool is_tiny = estimate.largest_result < machine.core_cache_bytes / 32;
    return {is_tiny ? kind::slower : kind::unlikely, "results of " + std::to_string(estimate.largest_result / 1024) +
                              " KiB stay in a core's cache between kernels"};
  }
  // If a result fills less than half of the cache, the stage that reads the result finds at least half of it in the
  // cache.
  const bool is_cached = estimate.largest_result < machine.cache_bytes / 2;
  const double saved_cycles = estimate.saved_bytes / (is_cached ? cache_bytes_per_cycle : memory_bytes_per_cycle);
  // The speed of shared caches depends on the other cores. With tiles, twenty sweeps over 4 MiB were no faster,
  // although the estimated gain was eight times the cost.
  if (!is_cached && saved_cycles >= certain_gain * certain_gain * estimate.extra_cycles) return {};
  char text[128];
  std::snprintf(text, sizeof(text), "tiles save %.1f cycles of each work-item and cost %.1f", saved_cycles,
                estimate.extra_cycles);
  const bool is_likely = saved_cycles >= certain_gain * estimate.extra_cycles;
  const bool is_unlikely = certain_gain * saved_cycles >= estimate.extra_cycles;
  return {is_likely ? kind::likely : is_unlikely ? kind::unlikely : kind::slower, text};
}

gain_verdict verdict_on_group_tiles(const stencil_fusion& stencils) {
  using kind = gain_verdict::kind;
  std::uint64_t largest = 0;
  double items = 1, extra = 0;
  for (const auto& stage : stencils.stages) items = std::max(items, static_cast<double>(size_of(stage.range)));
  for (const stage_result& each : stencils.request.results)
    largest = std::max(largest, each.element_bytes * size_of(stencils.stages[each.writer].range));
  for (std::size_t s = 0; s < stencils.stages.size(); ++s) {
    const auto& placed = stencils.plan.stages[s];
    if (!placed.needed) continue;
    extra += work_of(*stencils.stages[s].kernel) * recomputed_share(stencils.plan, placed.halo) + instructions_of_stage;
  }
  const bool is_cached = largest < gpu_cache_bytes;
  const double bytes = static_cast<double>(stencils.saved_bytes) / items;
  const double saved = bytes * (is_cached ? instructions_per_cached_byte : instructions_per_byte) +
                       static_cast<double>(stencils.stages.size() - 1) * instructions_between_kernels / items;
  if (largest >= gpu_small_bytes && saved >= surely * extra) return {};
  char text[160];
  std::snprintf(text, sizeof(text),
                "tiles save the time of %.0f instructions of each work-item and cost %.0f; results of %llu KiB %s the "
                "GPU's cache between kernels",
                saved, extra, static_cast<unsigned long long>(largest / 1024), is_cached ? "stay in" : "leave");
  if (surely * saved < extra) return {kind::slower, text};
  return {list_gain * saved >= extra ? kind::likely : kind::unlikely, text};
}

}  // namespace sinter::passes
