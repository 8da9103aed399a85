#pragma once
/// Estimates the cost and gain of lanes for the vectorizer.

#include <string>

#include "lane_plan.hpp"

namespace sinter::passes {

/// Returns the number of lanes for which the largest type of data fills a vector of `vector_bits`. Data of less than 4
/// bytes count as 4 bytes.
unsigned fitting_lanes(const llvm::Function& function, const lane_shapes& shapes, unsigned vector_bits);

struct lane_costs {
  double scalar = 0;  ///< cost of one work-item alone
  double wide = 0;    ///< cost of all lanes together
  /// Whether the code is straight-line code of plain operations, and has no gather from unrelated addresses. One guard
  /// may be in front of the code. LLVM's loop vectorizer makes faster code of such functions, because it also unrolls
  /// and aligns.
  bool plain = false;
  bool scatters = false;  ///< whether lanes store numbers that do not lie side by side

  bool wide_pays(unsigned lanes) const;
};
lane_costs lane_costs_of(const lane_plan& plan, bool nd_range);

/// The reason why vectors would not be faster. The result is empty if vectors are faster.
std::string why_scalar(const lane_costs& costs, unsigned lanes);

} // namespace sinter::passes
