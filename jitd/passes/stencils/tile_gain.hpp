#pragma once
/// Estimates from a few figures whether tiles are faster than the members one by one. The estimate is used for lists
/// that the program did not ask to fuse, so it is cautious.

#include <cstdint>
#include <string>

#include "passes/fusion/gain_verdict.hpp"
#include "stencil_fusion.hpp"

namespace sinter::passes {

struct tile_estimate {
  double saved_bytes = 0;  ///< bytes per work-item that no longer pass through memory from one member to another
  /// Cost per work-item: halos are computed several times, and each row costs more than without tiles (share_of_rows).
  double extra_cycles = 0;
  std::uint64_t largest_result = 0;  ///< size in bytes of the largest result that another member reads
};

/// Estimates gain and cost. Call it before the stages' kernels become one kernel.
tile_estimate estimate_tiles(const stencil_fusion& stencils);
gain_verdict verdict_on_tiles(const tile_estimate& estimate, const tile_machine& machine);

/// Says whether tiles pay on GPUs. It uses constants instead of a tile_machine.
gain_verdict verdict_on_group_tiles(const stencil_fusion& stencils);

}  // namespace sinter::passes
