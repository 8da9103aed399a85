#pragma once
/// Whether tiles are faster than the members one by one, by few figures and on the careful side: for lists that nobody
/// asked to fuse.

#include <cstdint>
#include <string>

#include "passes/fusion/gain_verdict.hpp"
#include "stencil_fusion.hpp"

namespace sinter::passes {

struct tile_estimate {
  double saved_bytes = 0;  ///< for each work-item: memory traffic between members
  double extra_cycles = 0;  ///< halos that are computed again, and rows in rings instead of long loops
  std::uint64_t largest_result = 0;  ///< bytes that a member leaves to others
};

/// Before the stages' kernels are joined.
tile_estimate estimate_tiles(const stencil_fusion& stencils);
gain_verdict verdict_on_tiles(const tile_estimate& estimate, const tile_machine& machine);

/// For GPUs, about which no tile_machine is known.
gain_verdict verdict_on_group_tiles(const stencil_fusion& stencils);

}  // namespace sinter::passes
