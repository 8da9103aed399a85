#pragma once
/// Finds out whether two accesses of different work-items meet, by a search among the numbers of one launch.

#include "access_form.hpp"
#include "fusion_metadata.hpp"

namespace sinter::passes {

enum class verdict { proved, unknown, disproved };

/// Describes whether two accesses of different work-items meet; `other_group` tells whether the work-items may be in
/// different work-groups.
struct conflict {
  verdict free = verdict::proved;          ///< whether no two different work-items meet
  verdict within_group = verdict::proved;  ///< whether work-items that meet share a work-group
  /// If free is disproved: linear ids of two work-items that meet. They are in different groups if within_group is
  /// disproved, too.
  std::uint64_t item = 0, other = 0;
};
/// Examines two accesses in the same space, at `a + base` and `b + base_b`. Both launches have the same range.
conflict find_conflict(const fusion_range& range, const memory_access& a, std::int64_t base_a, const memory_access& b,
                       std::int64_t base_b);

/// An access, and the range of its own launch.
struct ranged_access {
  const fusion_range& range;
  const memory_access& access;
  std::int64_t base;
};
/// If no form of one range can describe accesses of another, tries some pairs of work-items with different linear ids
/// (and in different groups, if the `fused` range has groups). Returns true, with the ids in `found`, if a pair
/// certainly meets.
bool find_witness(const fusion_range& fused, const ranged_access& a, const ranged_access& b, conflict& found);

}  // namespace sinter::passes
