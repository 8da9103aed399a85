#include "fused_range.hpp"

#include <abi/fused_range.hpp>
#include <algorithm>

namespace sinter::passes {
namespace {

/// Returns element `d` of a range as the user wrote it, or `missing` if the range does not have this dimension.
std::uint64_t as_written(const fusion_range& range, const std::uint64_t (&padded)[3], unsigned d,
                         std::uint64_t missing) {
  return d < range.dimensions ? padded[3 - range.dimensions + d] : missing;
}

bool same_as_written(const fusion_range& a, const std::uint64_t (&of_a)[3], const fusion_range& b,
                     const std::uint64_t (&of_b)[3], std::uint64_t missing) {
  for (unsigned d = 0; d < 3; ++d) {
    if (as_written(a, of_a, d, missing) != as_written(b, of_b, d, missing)) return false;
  }
  return true;
}

std::string sizes_as_written(const fusion_range& range, const std::uint64_t (&padded)[3]) {
  std::string text = "{";
  for (unsigned d = 0; d < range.dimensions; ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(as_written(range, padded, d, 0));
  }
  return text + "}";
}

std::string own_launch(const std::string& name, const fusion_range& range) {
  return "'" + name + "' has " + sizes_as_written(range, range.global) +
         (has_groups(range) ? " in groups of " + sizes_as_written(range, range.local) : "");
}

}  // namespace

bool member_dimensions::moves_none(const fusion_range& member, const fusion_range& fused) const {
  for (unsigned d = 0; d < 3; ++d) {
    if (member.offset[d] != fused.offset[d] || (place[d] != d && place[d] != none)) return false;
  }
  return true;
}

std::optional<member_dimensions> dimensions_in(const fusion_range& member, const fusion_range& fused) {
  if (size_of(member) == 0) return std::nullopt;
  member_dimensions result;
  const bool groups = has_groups(member);
  unsigned at = 3;  // dimensions of the fused range from this one on already belong to dimensions of the member
  const auto next = [&] {
    while (at > 0 && fused.global[--at] == 1) {
    }
  };
  std::uint64_t slower = 1;  // product of the member's sizes in the dimensions that have no counterpart yet
  for (const std::uint64_t each : member.global) slower *= each;
  for (unsigned d = 3; d-- > 0;) {
    if (member.global[d] == 1) continue;
    if (at == 0) return std::nullopt;
    next();
    slower /= member.global[d];
    const bool is_slowest = slower == 1;
    const bool fits = is_slowest ? member.global[d] <= fused.global[at] : member.global[d] == fused.global[at];
    if (!fits || (groups && member.local[d] != fused.local[at])) return std::nullopt;
    result.place[d] = at;
    result.extent[at] = member.global[d];
  }
  // The member may lack a dimension. Refuses ranges in which a group would have several work-items in such a dimension.
  for (unsigned d = 0; d < 3; ++d) {
    const bool used = std::find(result.place.begin(), result.place.end(), d) != result.place.end();
    if (groups && !used && fused.local[d] != 1) return std::nullopt;
  }
  return result;
}

range_choice choose_fused_range(const std::vector<fusion_range>& ranges) {
  range_choice choice;
  unsigned &largest = choice.range_member, &groups = choice.local_member;
  for (unsigned i = 1; i < ranges.size(); ++i) {
    const bool before = has_groups(ranges[i]) && !has_groups(ranges[largest]);
    if (size_of(ranges[i]) > size_of(ranges[largest]) || (size_of(ranges[i]) == size_of(ranges[largest]) && before))
      largest = i;
  }
  groups = largest;
  for (unsigned i = 0; i < ranges.size() && !has_groups(ranges[largest]); ++i) {
    const bool larger = !has_groups(ranges[groups]) || size_of(ranges[i]) > size_of(ranges[groups]);
    if (has_groups(ranges[i]) && larger) groups = i;
  }
  choice.range = ranges[groups];
  const fusion_range& of = ranges[groups];
  if (!abi::fused_global_range(ranges[largest].global, of.global, of.local, of.dimensions, choice.range.global)) {
    choice.refused = "Cannot fuse kernels whose fusion would yield non-uniform work-group sizes: " +
                     std::to_string(size_of(ranges[largest])) + " work-items do not fill whole rows of groups of " +
                     sizes_as_written(of, of.local) + " in the range " + sizes_as_written(of, of.global);
  }
  return choice;
}

std::string check_ranges(const std::vector<fusion_range>& members, const std::vector<std::string>& names,
                         const fusion_range& fused) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const fusion_range& member = members[i];
    if (!same_as_written(member, member.offset, members[0], members[0].offset, 0)) {
      return "Cannot fuse kernels with different offsets: '" + names[0] + "' has " +
             sizes_as_written(members[0], members[0].offset) + ", '" + names[i] + "' " +
             sizes_as_written(member, member.offset);
    }
    if (!has_groups(member) || dimensions_in(member, fused)) continue;
    if (!same_as_written(member, member.local, fused, fused.local, 1)) {
      return "Cannot fuse kernels with different local sizes: " + own_launch(names[i], member) +
             ", others have groups of " + sizes_as_written(fused, fused.local);
    }
    return "Cannot fuse kernels when any of the fused kernels with a specific local size has different global sizes "
           "in dimensions [2, N) or different number of dimensions: " +
           own_launch(names[i], member) + ", and together they have " + sizes_as_written(fused, fused.global);
  }
  return {};
}

}  // namespace sinter::passes
