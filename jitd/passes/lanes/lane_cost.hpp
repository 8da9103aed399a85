#pragma once
/// What lanes cost and gain: estimates for the vectorizer.

#include <string>

#include "lane_plan.hpp"

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
lane_costs lane_costs_of(const lane_plan& plan, bool nd_range);

/// Why vectors would not be faster; empty: they are.
std::string why_scalar(const lane_costs& costs, unsigned lanes);

} // namespace sinter::passes
