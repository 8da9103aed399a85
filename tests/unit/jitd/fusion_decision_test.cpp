/// The decisions of a fusion against brute force: *proved* and *disproved* may never be wrong, *unknown* has a ceiling.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <passes/fusion_decision.hpp>

#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;
using test::has_groups;
using test::work_item;

constexpr std::uint64_t seed = 20260104;

// --------------------------------------------------------------------------------------------- two accesses

struct conflict_case {
  fusion_range range;
  memory_access a{0, true, true, access_kind::write, {}, 4, 0, ""}, b{0, true, true, access_kind::read, {}, 4, 0, ""};
  std::int64_t base_a = 0, base_b = 0;
};

conflict_case random_conflict(generator& random) {
  conflict_case c;
  c.range = test::random_range(random, 8, 50);
  const std::int64_t element = random.pick<std::int64_t>({1, 2, 4, 4, 8, 12, 16});
  c.a.offset = test::random_form(random, c.range, element);
  c.b.offset = random.chance(60) ? c.a.offset : test::random_form(random, c.range, element);
  c.a.bytes = random.chance(80) ? static_cast<std::uint64_t>(element) : 1 + random.below(16);
  c.b.bytes = random.chance(80) ? c.a.bytes : 1 + random.below(16);
  if (random.chance(40)) c.b.offset.constant += element * random.between(-8, 8);
  if (random.chance(30)) c.base_a = element * random.between(-4, 4);
  if (random.chance(30)) c.base_b = element * random.between(-4, 4);
  return c;
}

bool meet(const conflict_case& c, const work_item& x, const work_item& y) {
  const std::int64_t from_a = test::value_of(c.a.offset, x) + c.base_a, from_b = test::value_of(c.b.offset, y) + c.base_b;
  return from_a < from_b + static_cast<std::int64_t>(c.b.bytes) && from_b < from_a + static_cast<std::int64_t>(c.a.bytes);
}

struct truth {
  bool items = false, groups = false;  ///< different ones meet
};

truth brute_force(const conflict_case& c) {
  struct place {
    std::int64_t at;
    std::uint64_t item, group;
  };
  std::vector<place> a, b;
  for (std::uint64_t i = 0; i < test::items_of(c.range); ++i) {
    const work_item item = test::item_at(c.range, i);
    const std::uint64_t group = has_groups(c.range) ? item.group : i;
    a.push_back({test::value_of(c.a.offset, item) + c.base_a, i, group});
    b.push_back({test::value_of(c.b.offset, item) + c.base_b, i, group});
  }
  auto before = [](const place& x, const place& y) { return x.at < y.at; };
  std::sort(b.begin(), b.end(), before);
  truth result;
  for (const place& x : a) {
    const place first{x.at - static_cast<std::int64_t>(c.b.bytes) + 1, 0, 0};
    for (auto y = std::lower_bound(b.begin(), b.end(), first, before);
         y != b.end() && y->at < x.at + static_cast<std::int64_t>(c.a.bytes); ++y) {
      result.items |= y->item != x.item;
      result.groups |= y->group != x.group;
      if (result.groups) return result;
    }
  }
  return result;
}

bool contradicts(verdict answer, bool exists) {
  return (answer == verdict::proved && exists) || (answer == verdict::disproved && !exists);
}

/// What is wrong with an answer; empty: nothing.
std::string judge(const conflict_case& c, const conflict& answer) {
  const truth real = brute_force(c);
  if (contradicts(answer.free, real.items)) return "free";
  if (contradicts(answer.within_group, real.groups)) return "within_group";
  if (answer.free != verdict::disproved) return {};
  if (answer.item >= test::items_of(c.range) || answer.other >= test::items_of(c.range)) return "witness outside";
  const work_item x = test::item_at(c.range, answer.item), y = test::item_at(c.range, answer.other);
  if (x.linear == y.linear || !meet(c, x, y)) return "witness";
  if (has_groups(c.range) && answer.within_group == verdict::disproved && x.group == y.group) return "witness's groups";
  return {};
}

std::string describe(const conflict_case& c) {
  auto numbers = [](auto& list) {
    std::string text;
    for (auto each : list) text += std::to_string(each) + " ";
    return text;
  };
  auto access = [&](const memory_access& each, std::int64_t base) {
    return numbers(each.offset.coefficients) + "+ " + std::to_string(each.offset.constant + base) + " bytes " +
           std::to_string(each.bytes);
  };
  return "global " + numbers(c.range.global) + "local " + numbers(c.range.local) + "offset " + numbers(c.range.offset) +
         "| a " + access(c.a, c.base_a) + " | b " + access(c.b, c.base_b);
}

conflict ask(const conflict_case& c) { return find_conflict(c.range, c.a, c.base_a, c.b, c.base_b); }

} // namespace

TEST_CASE("conflicts of two accesses are what brute force finds") {
  constexpr unsigned cases = 250'000;
  generator random(seed);
  unsigned wrong = 0, unknown = 0, conflicts = 0, within = 0;
  for (unsigned i = 0; i < cases; ++i) {
    const conflict_case c = random_conflict(random);
    const conflict answer = ask(c);
    const std::string error = judge(c, answer);
    if (!error.empty() && ++wrong <= 5) FAIL_CHECK("case " << i << ": " << error << " of " << describe(c));
    unknown += answer.free == verdict::unknown || answer.within_group == verdict::unknown;
    conflicts += answer.free == verdict::disproved;
    within += answer.free == verdict::disproved && answer.within_group == verdict::proved;
  }
  CHECK(wrong == 0);
  MESSAGE("seed " << seed << ": " << cases << " cases, " << conflicts << " conflicts, " << within << " of them in a group, "
                  << unknown << " unknown");
  CHECK(unknown * 1000 <= cases);
  CHECK(conflicts > cases / 10);
  CHECK(conflicts < cases * 9 / 10);
  CHECK(within > cases / 100);
}

TEST_CASE("planted errors in the search for conflicts are noticed") {
  struct planted {
    const char* name;
    std::function<void(conflict_case&)> plant;
  };
  const planted all[] = {
      {"width less one", [](conflict_case& c) { c.b.bytes -= 1; }},
      {"width and one", [](conflict_case& c) { c.a.bytes += 1; }},
      {"a row too far", [](conflict_case& c) { c.b.offset.coefficients[1] += 4; }},
      {"a column too far", [](conflict_case& c) { c.a.offset.coefficients[2] += 4; }},
      {"sign of the difference",
       [](conflict_case& c) {
         std::swap(c.a.offset.constant, c.b.offset.constant);
         std::swap(c.base_a, c.base_b);
       }},
      {"base forgotten", [](conflict_case& c) { c.base_b = 0; }},
      {"offset of the range forgotten", [](conflict_case& c) { std::fill(c.range.offset, c.range.offset + 3, 0); }},
      {"one work-item less", [](conflict_case& c) { c.range.global[2] -= has_groups(c.range) ? c.range.local[2] : 1; }},
      {"groups forgotten", [](conflict_case& c) { std::fill(c.range.local, c.range.local + 3, 0); }},
      {"local taken for global",
       [](conflict_case& c) {
         std::swap(c.a.offset.coefficients[variable_local + 2], c.a.offset.coefficients[variable_global + 2]);
       }},
  };
  for (const planted& error : all) {
    generator random(seed + 1);
    unsigned noticed = 0;
    for (unsigned i = 0; i < 4000; ++i) {
      const conflict_case c = random_conflict(random);
      conflict_case changed = c;
      error.plant(changed);
      noticed += !judge(c, ask(changed)).empty();
    }
    CHECK_MESSAGE(noticed > 0, error.name);
  }
}
