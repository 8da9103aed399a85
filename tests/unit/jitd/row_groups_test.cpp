/// Tests how GPUs process rows as groups: the sizes of groups, and the rows that they copy to local memory. Random
/// accesses are compared with brute force.

#include <doctest/doctest.h>

#include <map>
#include <passes/fusion/row_groups.hpp>
#include <set>

#include "fusion_cases.hpp"

using namespace sinter::passes;

namespace {

constexpr row_machine gpu{0, /*in_groups=*/true, 48 * 1024, 1024};

memory_access read_at(unsigned leaf, std::int64_t begin, std::int64_t pitch, std::int64_t step, std::uint64_t turns,
                      std::uint64_t bytes) {
  memory_access access{leaf, true, true, access_kind::read, {}, bytes, 0, ""};
  access.offset.constant = begin;
  access.offset.coefficients[variable_global + 2] = pitch;
  access.offset.coefficients[variable_loop] = step;
  access.turns[0] = turns;
  return access;
}

/// A list of two members. The first member has a work-item for each row. The second member has a work-item for each
/// element, and writes other memory. In both members, the leaves 0, 8 and 16 of the argument block point to different
/// allocations.
decision_request list_of(std::uint64_t rows, std::uint64_t width, std::vector<memory_access> accesses) {
  decision_request request;
  fusion_range of_rows, of_elements;
  of_rows.dimensions = 1, of_elements.dimensions = 2;
  of_rows.global[2] = of_elements.global[1] = rows;
  of_elements.global[2] = width;
  memory_access store = read_at(0, 0, 0, 0, 1, 4);
  store.kind = access_kind::write;
  store.offset.coefficients[variable_global + 1] = static_cast<std::int64_t>(4 * width);
  store.offset.coefficients[variable_global + 2] = 4;
  request.members.push_back({"rows", of_rows, {std::move(accesses), {}, false, false, false, ""}});
  request.members.push_back({"elements", of_elements, {{store}, {}, false, false, false, ""}});
  for (unsigned member = 0; member < 2; ++member) {
    for (unsigned leaf = 0; leaf < 24; leaf += 8) {
      fusion_pointer pointer;
      pointer.argument = {member, leaf};
      pointer.name = "memory " + std::to_string(leaf / 8);
      pointer.space = 1 + member * 3 + leaf / 8;
      request.pointers.push_back(pointer);
    }
  }
  return request;
}

}  // namespace

TEST_CASE("on GPUs, a group has more rows if there are many, as far as they fit into local memory") {
  const auto plan = [](std::uint64_t rows, std::int64_t width, const row_machine& machine = gpu) {
    const auto turns = static_cast<std::uint64_t>(width);
    return plan_row_groups(list_of(rows, turns, {read_at(0, 0, 4 * width, 4, turns, 4)}), machine);
  };
  CHECK(plan(1000, 333).refused.empty());
  CHECK(plan(1000, 333).is_of_rows);
  CHECK(plan(1000, 333).items == 256);
  CHECK(plan(1000, 333).group == 1);
  CHECK(plan(1000, 333).local_bytes == 1344);
  CHECK(plan(1025, 333).group == 2);
  CHECK(plan(100000, 64).group == 98);
  CHECK(plan(1000000, 8).group == 256);
  CHECK(plan(100000, 1000).group == 7);  // 28 KiB hold seven rows of 4004 bytes
  CHECK(plan(100000, 12000).group == 1);
  CHECK(plan(100000, 12000).copies.size() == 1);
  CHECK(plan(100000, 13000).copies.empty());  // rows of more than 48 KiB stay in memory
  CHECK(plan(100000, 13000).group == 98);
  CHECK(plan(1000, 1000, {0, true, 3 * 1024, 1024}).copies.empty());
  CHECK(plan(1000000, 8, {0, true, 48 * 1024, 33}).items == 33);
  CHECK(plan(1000000, 8, {0, true, 48 * 1024, 33}).group == 33);
  const fusion_range range = range_of_rows(plan(1025, 333));
  CHECK(range.local[2] == 256);
  CHECK(range.global[2] == 513 * 256);
}

TEST_CASE("rows stay in memory if it is not certain that they are read, or if the member writes their memory") {
  const auto copies = [](const std::vector<memory_access>& accesses) {
    return plan_row_groups(list_of(100, 50, accesses), gpu).copies.size();
  };
  const memory_access whole = read_at(0, 0, 200, 4, 50, 4);
  CHECK(copies({whole}) == 1);
  CHECK(copies({whole, read_at(8, 0, 200, 4, 50, 4)}) == 2);
  CHECK(copies({whole, read_at(0, 196, 200, -4, 50, 4)}) == 1);
  CHECK(copies({read_at(0, 0, 200, 4, 7, 4)}) == 0);   // too few elements
  CHECK(copies({read_at(0, 0, 200, 16, 12, 4)}) == 0);  // elements far apart
  CHECK(copies({read_at(0, 2, 200, 6, 30, 4)}) == 0);
  CHECK(copies({whole, read_at(0, 2, 200, 4, 40, 4)}) == 0);
  CHECK(copies({whole, read_at(0, 0, 200, 2, 50, 2)}) == 0);
  memory_access guarded = whole, uncertain = whole, unknown = whole, store = whole;
  guarded.guards.emplace_back();
  uncertain.certain = false;
  unknown.known = false;
  store.kind = access_kind::write;
  for (const memory_access& each : {guarded, uncertain, unknown, store}) {
    CHECK(copies({each}) == 0);
    CHECK(copies({whole, each}) == 0);
  }
}

TEST_CASE("all reads of copied rows are inside the copies, and rows begin and end with bytes that are read") {
  unsigned found = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    sinter::test::generator random(seed);
    const std::uint64_t rows = 2 + random.below(random.chance(20) ? 5000 : 40);
    std::vector<memory_access> accesses;
    const std::int64_t pitch = random.between(1, 90) * 4;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
      const std::uint64_t bytes = random.pick<std::uint64_t>({1, 2, 4, 4, 4, 8, 12, 16});
      const auto size = static_cast<std::int64_t>(bytes);
      const std::int64_t whole = size * random.pick<std::int64_t>({1, 1, -1, 2});
      const std::int64_t step = random.chance(80) ? whole : random.between(-9, 9);
      const std::int64_t begin = random.between(-20, 60) * random.pick<std::int64_t>({1, size, size});
      const std::uint64_t turns = 1 + random.below(60);
      memory_access access = read_at(random.pick({0u, 8u, 16u}), begin, pitch, step, turns, bytes);
      if (random.chance(20)) {
        access.offset.coefficients[variable_loop + 1] = size * random.between(-8, 8);
        access.turns[1] = 1 + random.below(5);
      }
      if (random.chance(10)) access.kind = access_kind::write;
      accesses.push_back(access);
    }
    const row_machine machine{0, true, 1024 * random.pick<std::uint64_t>({1, 4, 48, 200}),
                              random.pick<std::uint64_t>({0, 7, 128, 1024})};
    const row_groups plan = plan_row_groups(list_of(rows, 30, accesses), machine);
    if (!plan.refused.empty()) continue;
    CHECK(plan.group >= 1);
    CHECK(plan.group <= plan.items);
    CHECK(plan.local_bytes <= machine.group_bytes);
    std::set<std::uint64_t> taken;  // bytes of local memory
    for (const row_groups::copied_rows& each : plan.copies) {
      ++found;
      CHECK(each.pitch == pitch);
      CHECK(each.place % 16 == 0);
      CHECK(each.bytes % each.unit == 0);
      CHECK(each.local_pitch % each.unit == 0);
      CHECK(each.local_pitch >= each.bytes);
      CHECK((each.local_pitch / std::max<std::uint64_t>(4, each.unit)) % 2 == 1);
      CHECK(each.place + plan.group * each.local_pitch <= plan.local_bytes);
      for (std::uint64_t row = 0; row < plan.group; ++row) {
        for (std::uint64_t b = 0; b < each.bytes; ++b)
          CHECK(taken.insert(each.place + row * each.local_pitch + b).second);
      }
      std::set<std::int64_t> read;  // bytes that the work-item of row 0 reads, from the row's beginning on
      for (const memory_access& access : accesses) {
        if (access.leaf != each.leaf) continue;
        CHECK(access.kind == access_kind::read);
        CHECK(access.bytes == each.unit);
        for (std::uint64_t i = 0; i < access.turns[0] * access.turns[1]; ++i) {
          const auto& by = access.offset.coefficients;
          const std::int64_t at = access.offset.constant - each.begin +
                                  by[variable_loop] * static_cast<std::int64_t>(i % access.turns[0]) +
                                  by[variable_loop + 1] * static_cast<std::int64_t>(i / access.turns[0]);
          CHECK(at % static_cast<std::int64_t>(each.unit) == 0);
          for (std::uint64_t b = 0; b < access.bytes; ++b) read.insert(at + static_cast<std::int64_t>(b));
        }
      }
      CHECK(*read.begin() == 0);
      CHECK(*read.rbegin() == static_cast<std::int64_t>(each.bytes) - 1);
    }
  }
  CHECK(found > 300);
}
