#pragma once
/// How work-items of several ranges become those of one. A work-item of a member runs as that of the same linear id in
/// the fused range, ids and sizes that it asks for are those of its own launch, and work-items of one group stay
/// together. Members without groups fit into any range that is as large; their ids are computed from the linear id.
/// Members with groups fit where their dimensions are the fastest ones of the range, of equal sizes; the slowest of
/// them may be shorter. Dimensions of one work-item count for nothing.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fusion_metadata.hpp"

namespace sinter::passes {

/// Where each dimension of a member is in the fused range; `none`: it has one work-item.
struct member_dimensions {
  static constexpr unsigned none = ~0u;
  std::array<unsigned, 3> place{none, none, none};
  std::array<std::uint64_t, 3> extent{1, 1, 1};  ///< of the member, in dimensions of the fused range

  /// Its work-items have the same ids in both.
  bool moves_none(const fusion_range& member, const fusion_range& fused) const;
};
/// None: a linear id means other ids, or another group, there.
std::optional<member_dimensions> dimensions_in(const fusion_range& member, const fusion_range& fused);

struct range_choice {
  unsigned range_member = 0, local_member = 0;  ///< as for abi::fused_global_range
  fusion_range range;
  std::string refused;  ///< why no range has room for all; empty: it has
};
range_choice choose_fused_range(const std::vector<fusion_range>& ranges);

/// Why the members' ranges can't be one; empty: they can.
std::string check_ranges(const std::vector<fusion_range>& members, const std::vector<std::string>& names,
                         const fusion_range& fused);

}  // namespace sinter::passes
