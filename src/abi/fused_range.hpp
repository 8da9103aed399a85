#pragma once
/// Computes the global range of a fused kernel. The compiler calls this function with the sizes that it compiles for.
/// The runtime calls it, too, because it may launch the same code with other sizes.

#include <cstdint>

#include "work_items.hpp"

namespace sinter::abi {

/// `largest` is the global range of the largest member. `groups` (a global range), `local` and `dimensions` belong to
/// the largest member with work-groups, or to the largest member if no member has work-groups. Sizes are padded with
/// ones in front. The result has as many work-items as the largest member, in groups of `local`, and differs from
/// `groups` in at most one dimension. Returns false if there is no such range.
inline bool fused_global_range(const std::uint64_t (&largest)[3], const std::uint64_t (&groups)[3],
                               const std::uint64_t (&local)[3], unsigned dimensions, std::uint64_t (&result)[3]) {
  const std::uint64_t items = work_items(largest);
  // The loop tries the largest member's own range first, then a range that differs from `groups` in one dimension.
  for (const bool own : {true, false}) {
    for (unsigned d = 3 - dimensions; d < 3; ++d) {
      std::uint64_t rows = 1;
      bool fits = true;
      for (unsigned e = 0; e < 3; ++e) {
        result[e] = groups[e];
        if (e > d) rows *= groups[e];
        if (e < d) fits = fits && groups[e] == 1;
        if (own && e != d) fits = fits && largest[e] == groups[e];
      }
      if (!fits || rows == 0 || items % rows != 0) continue;
      result[d] = items / rows;
      if (local[d] == 0 || result[d] % local[d] == 0) return true;
    }
  }
  return false;
}

}  // namespace sinter::abi
