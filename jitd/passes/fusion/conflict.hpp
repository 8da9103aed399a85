#pragma once
/// Finds out whether accesses of two different work-items meet, that is, touch a common byte. The search is among the
/// ids of one launch.

#include "access_form.hpp"
#include "fusion_metadata.hpp"

namespace sinter::passes {

enum class verdict { proved, unknown, disproved };

/// Describes whether two accesses of different work-items meet.
struct conflict {
  verdict free = verdict::proved;          ///< whether different work-items never access the same bytes
  verdict within_group = verdict::proved;  ///< whether only work-items of one group access the same bytes
  /// If free is disproved: linear ids of two work-items that access the same bytes. If within_group is disproved, too,
  /// the two work-items are in different groups.
  std::uint64_t item = 0, other = 0;
};
/// Examines two accesses in the same space, at `a + base_a` and `b + base_b`. Both launches have the same range.
conflict find_conflict(const fusion_range& range, const memory_access& a, std::int64_t base_a, const memory_access& b,
                       std::int64_t base_b);

/// An access, and the range of its own launch.
struct ranged_access {
  const fusion_range& range;
  const memory_access& access;
  std::int64_t base;
};
/// This function is for accesses that can't be written as forms of the fused range. It tries some pairs of work-items
/// with different linear ids (and in different groups, if the `fused` range has groups). If the two work-items of a
/// pair certainly access the same bytes, stores their ids in `found` and returns true.
bool find_witness(const fusion_range& fused, const ranged_access& a, const ranged_access& b, conflict& found);

}  // namespace sinter::passes
