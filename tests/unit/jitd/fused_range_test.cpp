/// Tests fused ranges with random lists of ranges. In a fused range, every work-item must keep its ids and its
/// group. All lists that the extension's rules allow must be fused, and the reasons for refusals must be true.

#include <doctest/doctest.h>

#include <algorithm>
#include <passes/fusion/fused_range.hpp>

#include "../sanitized.hpp"
#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;

using range_list = std::vector<fusion_range>;

std::uint64_t as_written(const fusion_range& range, const std::uint64_t (&padded)[3], unsigned d,
                         std::uint64_t missing) {
  return d < range.dimensions ? padded[3 - range.dimensions + d] : missing;
}

/// Returns random ranges as programs have them. Some differ only in the number of rows. Others have another shape
/// with as many or fewer work-items, with and without groups. The offsets are mostly equal.
range_list random_ranges(generator& random) {
  range_list list;
  const fusion_range first = test::random_range(random, 6, 60);
  const std::uint64_t place = random.chance(60) ? 0 : random.below(4);
  const unsigned count = static_cast<unsigned>(2 + random.below(3));
  for (unsigned i = 0; i < count; ++i) {
    fusion_range range = first;
    const std::uint64_t kind = random.below(5);
    if (kind == 0) {
      range = test::random_range(random, 6, 50);
    } else if (kind == 1) {
      const unsigned d = 3 - range.dimensions;
      range.global[d] = (range.local[d] == 0 ? 1 : range.local[d]) * (1 + random.below(4));
    } else if (kind == 2) {
      // Makes a range of another shape and without groups.
      std::uint64_t rest = test::items_of(first) * (1 + random.below(3));
      range = {};
      range.dimensions = static_cast<unsigned>(1 + random.below(3));
      for (unsigned d = 3 - range.dimensions; d < 3; ++d) {
        do {
          range.global[d] = d == 2 ? rest : 1 + random.below(rest);
        } while (rest % range.global[d] != 0);
        rest /= range.global[d];
      }
    } else if (kind == 3) {
      std::fill(range.local, range.local + 3, 0);
    }
    const bool moved = random.chance(10);
    for (unsigned d = 0; d < 3; ++d) {
      range.offset[d] = d == 3 - range.dimensions ? (moved ? random.below(4) : place) : 0;
    }
    list.push_back(range);
  }
  return list;
}

/// Whether the extension's rules allow `fused` as the range of the fused list.
bool is_allowed(const range_list& list, const fusion_range& fused) {
  const fusion_range* grouped = nullptr;
  bool moves = false, is_moved = false;
  for (const fusion_range& each : list) {
    bool own_ids = each.dimensions == fused.dimensions;
    for (unsigned d = 0; d < 3; ++d) {
      if (as_written(each, each.offset, d, 0) != as_written(list[0], list[0].offset, d, 0)) return false;
      if (d > 0) own_ids &= as_written(each, each.global, d, 1) == as_written(fused, fused.global, d, 1);
      is_moved |= each.offset[d] != 0;
    }
    moves |= !own_ids;
    if (!has_groups(each)) continue;
    if (!own_ids) return false;
    for (unsigned d = 0; grouped && d < 3; ++d) {
      if (as_written(each, each.local, d, 1) != as_written(*grouped, grouped->local, d, 1)) return false;
    }
    grouped = &each;
  }
  if (moves && is_moved) return false;
  for (unsigned d = 0; grouped && d < 3; ++d) {
    if (as_written(fused, fused.global, d, 1) % as_written(*grouped, grouped->local, d, 1) != 0) return false;
  }
  return true;
}

bool is_allowed(const range_list& list) {
  std::uint64_t most = 0;
  for (const fusion_range& each : list) most = std::max(most, test::items_of(each));
  return std::any_of(list.begin(), list.end(), [&](const fusion_range& each) {
    return test::items_of(each) == most && is_allowed(list, each);
  });
}

/// Returns what is wrong with a fused range that should contain all members, or an empty text.
std::string judge(const range_list& list, const fusion_range& fused) {
  std::uint64_t most = 0;
  for (const fusion_range& each : list) most = std::max(most, test::items_of(each));
  if (test::items_of(fused) != most) return "work-items are missing, or too many";
  for (unsigned d = 0; d < 3; ++d) {
    if (has_groups(fused) && fused.global[d] % fused.local[d] != 0) return "groups of several sizes";
    if (d < 3 - fused.dimensions && fused.global[d] != 1) return "more dimensions than it says";
  }
  for (const fusion_range& member : list) {
    const auto dimensions = dimensions_in(member, fused);
    if (!has_groups(member) && !dimensions) continue;
    if (!dimensions) return "a member without a place";
    for (std::uint64_t i = 0; i < test::items_of(member); ++i) {
      const test::work_item own = test::item_at(member, i), there = test::item_at(fused, i);
      for (unsigned d = 0; d < 3; ++d) {
        const unsigned place = dimensions->place[d];
        const bool is_none = place == member_dimensions::none;
        const auto at = [&](unsigned variable, std::int64_t otherwise) {
          return is_none ? otherwise : there.ids[variable + place];
        };
        const auto moved = static_cast<std::int64_t>(member.offset[d]) -
                           (is_none ? 0 : static_cast<std::int64_t>(fused.offset[place]));
        if (own.ids[variable_global + d] != at(variable_global, 0) + moved) return "another global id";
        if (!has_groups(member)) continue;
        if (own.ids[variable_local + d] != at(variable_local, 0)) return "another local id";
        if (own.ids[variable_group + d] != at(variable_group, 0)) return "another group";
      }
    }
    // The group must contain all of the member's work-items, and no others.
    std::uint64_t size = 1, whole = 1;
    for (unsigned d = 0; has_groups(member) && d < 3; ++d) size *= member.local[d], whole *= fused.local[d];
    if (size != whole) return "groups of another size";
  }
  return {};
}

std::string judge_refusal(const range_list& list, const std::string& why) {
  const auto any_differs = [&](auto differs) {
    return std::any_of(list.begin(), list.end(), [&](const fusion_range& a) {
      return std::any_of(list.begin(), list.end(), [&](const fusion_range& b) { return differs(a, b); });
    });
  };
  const auto other = [](auto array, std::uint64_t missing, unsigned first) {
    return [=](const fusion_range& a, const fusion_range& b) {
      if (missing == 1 && (!has_groups(a) || !has_groups(b))) return false;
      for (unsigned d = first; d < 3; ++d) {
        if (as_written(a, a.*array, d, missing) != as_written(b, b.*array, d, missing)) return true;
      }
      return first > 0 && a.dimensions != b.dimensions;
    };
  };
  const auto says = [&](const char* text) { return why.find(text) != std::string::npos; };
  if (says("different offsets")) return any_differs(other(&fusion_range::offset, 0, 0)) ? "" : "offsets are equal";
  if (says("different local sizes")) return any_differs(other(&fusion_range::local, 1, 0)) ? "" : "groups are equal";
  if (says("dimensions [2, N)")) return any_differs(other(&fusion_range::global, 1, 1)) ? "" : "dimensions are equal";
  if (!says("non-uniform")) return "no reason";
  // Computes whether any range with this number of work-items can contain all members with groups.
  std::uint64_t most = 0;
  for (const fusion_range& each : list) most = std::max(most, test::items_of(each));
  for (const fusion_range& grouped : list) {
    if (!has_groups(grouped)) continue;
    fusion_range fused = grouped;
    const unsigned d = 3 - grouped.dimensions;
    const std::uint64_t rows = test::items_of(grouped) / grouped.global[d];
    fused.global[d] = most / rows;
    const bool is_uniform = most % rows == 0 && fused.global[d] % fused.local[d] == 0;
    if (is_uniform && judge(list, fused).empty()) return "groups would be of one size";
  }
  return {};
}

std::string describe(const range_list& list) {
  std::string text;
  for (const fusion_range& each : list) {
    text += "\n  " + std::to_string(each.dimensions) + "d global";
    for (auto size : each.global) text += " " + std::to_string(size);
    text += " local";
    for (auto size : each.local) text += " " + std::to_string(size);
    text += " offset";
    for (auto size : each.offset) text += " " + std::to_string(size);
  }
  return text;
}

}  // namespace

TEST_CASE("ranges that are joined keep ids and groups, and refusals are true") {
  constexpr unsigned cases = sinter::test::cases_of(40'000);
  generator random(20261127);
  unsigned wrong = 0, joined = 0, allowed = 0, mixed = 0, refused[4] = {};
  for (unsigned i = 0; i < cases; ++i) {
    const range_list list = random_ranges(random);
    const range_choice choice = choose_fused_range(list);
    const std::vector<std::string> names(list.size(), "k");
    const std::string why = choice.refused.empty() ? check_ranges(list, names, choice.range) : choice.refused;
    std::string error = why.empty() ? judge(list, choice.range) : judge_refusal(list, why);
    const bool may = is_allowed(list);
    if (error.empty() && may && !why.empty()) error = "refused what is allowed: " + why;
    if (!error.empty() && ++wrong <= 5) FAIL_CHECK("case " << i << ": " << error << describe(list));
    allowed += may;
    joined += why.empty();
    const auto groups = std::count_if(list.begin(), list.end(), has_groups);
    mixed += why.empty() && groups != 0 && groups != static_cast<std::ptrdiff_t>(list.size());
    const char* const reasons[] = {"offsets", "local sizes", "[2, N)", "non-uniform"};
    for (unsigned k = 0; k < 4; ++k) refused[k] += why.find(reasons[k]) != std::string::npos;
  }
  CHECK(wrong == 0);
  MESSAGE(cases << " lists, " << allowed << " allowed, " << joined << " joined, " << mixed
                << " of them with and without groups; refused for offsets " << refused[0] << ", local sizes "
                << refused[1] << ", dimensions " << refused[2] << ", uneven groups " << refused[3]);
  CHECK(joined > cases / 5);
  CHECK(mixed > cases / 20);
  for (const unsigned each : refused) CHECK(each > cases / 1000);
}

TEST_CASE("planted errors in joined ranges are noticed") {
  struct planted {
    const char* name;
    void (*plant)(fusion_range&);
  };
  const planted all[] = {
      {"rows and columns change places", [](fusion_range& range) { std::swap(range.global[1], range.global[2]); }},
      {"a row of groups more",
       [](fusion_range& range) {
         const unsigned d = 3 - range.dimensions;
         range.global[d] += std::max<std::uint64_t>(1, range.local[d]);
       }},
      {"groups of two in one", [](fusion_range& range) { range.local[2] *= 2; }},
      {"all in one row", [](fusion_range& range) {
         range.global[2] = test::items_of(range);
         range.global[0] = range.global[1] = 1;
       }},
  };
  for (const planted& error : all) {
    generator random(20261128);
    unsigned noticed = 0;
    for (unsigned i = 0; i < 2000 && noticed == 0; ++i) {
      const range_list list = random_ranges(random);
      range_choice choice = choose_fused_range(list);
      const std::vector<std::string> names(list.size(), "k");
      if (!choice.refused.empty() || !check_ranges(list, names, choice.range).empty()) continue;
      error.plant(choice.range);
      noticed += !judge(list, choice.range).empty();
    }
    CHECK_MESSAGE(noticed > 0, error.name);
  }
}
