#pragma once
/// Estimates of the cost and gain of lanes, for the vectorizer.

#include <string>

#include "lane_plan.hpp"

namespace sinter::passes {

/// The number of lanes whose largest data fill vectors of `vector_bits`; data count as at least 4 bytes.
unsigned fitting_lanes(const llvm::Function& function, const lane_shapes& shapes, unsigned vector_bits);

struct lane_costs {
  double scalar = 0;  ///< of one work-item alone
  double wide = 0;    ///< of all lanes
  /// Long rows of plain operations, guarded at most, whose loads have known places: LLVM's loop vectorizer also unrolls
  /// and aligns.
  bool plain = false;
  bool scatters = false;  ///< stores numbers that do not lie side by side

  bool wide_pays(unsigned lanes) const;
};
lane_costs lane_costs_of(const lane_plan& plan, bool nd_range);

/// Why vectors would not be faster; empty: they are.
std::string why_scalar(const lane_costs& costs, unsigned lanes);

} // namespace sinter::passes
