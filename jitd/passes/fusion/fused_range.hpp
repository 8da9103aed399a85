#pragma once
/// Finds one range for members with different ranges. A member's work-item runs as the work-item of the fused range
/// with the same linear id. The work-item's queries of ids and sizes return what they would return without fusion.
/// Work-items of one group stay together. A member without groups fits any range with at least as many work-items,
/// because its ids are computed from the linear id. A member with groups fits if its dimensions have the same sizes as
/// the fastest dimensions of the range. Only the member's slowest dimension may be shorter. Dimensions with one
/// work-item don't count.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fusion_metadata.hpp"

namespace sinter::passes {

/// Maps each dimension of a member to a dimension of the fused range, or to `none` if the member has one work-item in
/// this dimension.
struct member_dimensions {
  static constexpr unsigned none = ~0u;
  std::array<unsigned, 3> place{none, none, none};
  std::array<std::uint64_t, 3> extent{1, 1, 1};  ///< the member's size in each dimension of the fused range

  /// Whether each work-item of the member has the same ids in both ranges.
  bool moves_none(const fusion_range& member, const fusion_range& fused) const;
};
/// Returns nothing if a work-item would have other ids or another group in the fused range.
std::optional<member_dimensions> dimensions_in(const fusion_range& member, const fusion_range& fused);

struct range_choice {
  unsigned range_member = 0, local_member = 0;  ///< see abi::fused_global_range
  fusion_range range;
  std::string refused;  ///< why no range fits all members; empty if a range fits them
};
range_choice choose_fused_range(const std::vector<fusion_range>& ranges);

/// Says why the members' ranges can't become one. The result is empty if the ranges can become one.
std::string check_ranges(const std::vector<fusion_range>& members, const std::vector<std::string>& names,
                         const fusion_range& fused);

}  // namespace sinter::passes
