#pragma once
/// What lanes cost and gain: estimates for the vectorizer.

#include <string>

#include "lane_shapes.hpp"
#include "load_pieces.hpp"

namespace sinter::passes {

/// As many lanes as the largest type of data fills vectors of `vector_bits` with; 4-byte data at least.
unsigned fitting_lanes(const llvm::Function& function, const lane_shapes& shapes, unsigned vector_bits);

struct lane_costs {
  double scalar = 0;  ///< of one work-item alone
  double wide = 0;    ///< of all lanes
  /// Long rows of plain operations, guarded at most: LLVM's loop vectorizer also unrolls and aligns.
  bool plain = false;
  bool scatters = false;  ///< stores numbers that do not lie side by side

  bool wide_pays(unsigned lanes) const;
};
lane_costs lane_costs_of(const llvm::Function& function, const llvm::LoopInfo& loops, const lane_shapes& shapes,
                         const load_pieces& pieces, bool nd_range, unsigned vector_bits);

/// Why vectors would not be faster; empty: they are.
std::string why_scalar(const lane_costs& costs, unsigned lanes);

} // namespace sinter::passes
