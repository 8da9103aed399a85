/// Compares the decisions about fusions with brute force. *proved* and *disproved* must never be wrong, and *unknown*
/// must not be too frequent. The file is long because all its tests share the brute-force reference and the generator
/// of kernels.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <passes/fusion/fusion_decision.hpp>
#include <utility>

#include "../sanitized.hpp"
#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;
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
  for (memory_access* access : {&c.a, &c.b}) {
    if (random.chance(25)) test::add_loops(random, *access, element);
    if (random.chance(30)) test::add_guards(random, *access, c.range);
  }
  return c;
}

bool meet(const conflict_case& c, const work_item& x, const work_item& y) {
  bool result = false;
  test::for_each_turn(c.a, x, [&](const work_item& at) {
    test::for_each_turn(c.b, y, [&](const work_item& other) {
      const std::int64_t from_a = test::value_of(c.a.offset, at) + c.base_a,
                         from_b = test::value_of(c.b.offset, other) + c.base_b;
      result |= from_a < from_b + static_cast<std::int64_t>(c.b.bytes) &&
                from_b < from_a + static_cast<std::int64_t>(c.a.bytes);
    });
  });
  return result;
}

struct truth {
  bool items = false, groups = false;  ///< different work-items, or different groups, access the same element
};

/// Tries all pairs of work-items to find conflicts of two accesses in launches of these ranges, with the groups of the
/// case.
truth brute_force(const conflict_case& c, const fusion_range& range_a, const fusion_range& range_b) {
  struct place {
    std::int64_t at;
    std::uint64_t item, group;
  };
  std::vector<place> a, b;
  auto collect = [&](const fusion_range& range, const memory_access& access, std::int64_t base,
                     std::vector<place>& to) {
    for (std::uint64_t i = 0; i < test::items_of(range); ++i) {
      const std::uint64_t group = has_groups(c.range) ? test::item_at(c.range, i).group : i;
      test::for_each_turn(access, test::item_at(range, i), [&](const work_item& at) {
        to.push_back({test::value_of(access.offset, at) + base, i, group});
      });
    }
  };
  collect(range_a, c.a, c.base_a, a);
  collect(range_b, c.b, c.base_b, b);
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

/// Compares an answer of the analysis with brute force, and returns what is wrong, or an empty text.
std::string judge(const conflict_case& c, const conflict& answer) {
  const truth real = brute_force(c, c.range, c.range);
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
    std::string text = numbers(each.offset.coefficients) + "+ " + std::to_string(each.offset.constant + base) +
                       " bytes " + std::to_string(each.bytes) + " turns " + numbers(each.turns);
    for (const affine_form& guard : each.guards) {
      text += "if " + numbers(guard.coefficients) + "+ " + std::to_string(guard.constant) + " ";
    }
    return text;
  };
  return "global " + numbers(c.range.global) + "local " + numbers(c.range.local) + "offset " + numbers(c.range.offset) +
         "| a " + access(c.a, c.base_a) + " | b " + access(c.b, c.base_b);
}

conflict ask(const conflict_case& c) { return find_conflict(c.range, c.a, c.base_a, c.b, c.base_b); }

}  // namespace

TEST_CASE("conflicts of two accesses are what brute force finds") {
  constexpr unsigned cases = sinter::test::cases_of(250'000);
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
  MESSAGE("seed " << seed << ": " << cases << " cases, " << conflicts << " conflicts, " << within
                  << " of them in a group, " << unknown << " unknown");
  CHECK(unknown * 500 <= cases);
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
      {"guards forgotten",
       [](conflict_case& c) {
         c.a.guards.clear();
         c.b.guards.clear();
       }},
      {"a guard one step too late",
       [](conflict_case& c) {
         for (affine_form& guard : c.b.guards) guard.constant += 1;
       }},
      {"loops turn once less",
       [](conflict_case& c) {
         if (c.a.turns[0] > 1) c.a.turns[0] -= 1;
       }},
      {"loops as one turn", [](conflict_case& c) { c.b.turns = {1, 1, 1}; }},
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

// --------------------------------------------------------------------------------------------- lists of members

namespace {

constexpr unsigned no_space = ~0u;
constexpr std::int64_t element = 4;

struct list_case {
  decision_request request;
  std::uint64_t choices = 0;  ///< random bits that decide which uncertain accesses happen
};

/// Gives the range other dimensions with `items` work-items in all.
void reshape(generator& random, fusion_range& range, std::uint64_t items) {
  const fusion_range before = range;
  range.dimensions = static_cast<unsigned>(1 + random.below(3));
  for (unsigned d = 0; d < 3; ++d) {
    range.global[d] = 1;
    range.offset[d] = 0;
    const unsigned used = 3 - range.dimensions;
    if (d < used) continue;
    // The first dimensions, in the order in which the user writes them, keep their offsets.
    if (d - used < before.dimensions) range.offset[d] = before.offset[d - used + 3 - before.dimensions];
    do {
      range.global[d] = d == 2 ? items : 1 + random.below(items);
    } while (items % range.global[d] != 0);
    items /= range.global[d];
  }
}

/// Adds a dimension with one work-item.
void add_dimension(fusion_range& range) {
  ++range.dimensions;
  std::rotate(range.global, range.global + 1, range.global + 3);
  std::rotate(range.local, range.local + 1, range.local + 3);
  std::rotate(range.offset, range.offset + 1, range.offset + 3);
}

/// Returns the range of a member: with fewer work-items, of another shape, or without groups.
fusion_range other_range(generator& random, fusion_range range) {
  const std::uint64_t whole = test::items_of(range);
  if (has_groups(range)) {
    if (random.chance(60)) {
      std::fill(range.local, range.local + 3, 0);
      if (random.chance(50)) reshape(random, range, random.chance(50) ? whole : 1 + random.below(whole));
      return range;
    }
    const unsigned d = 3 - range.dimensions;
    range.global[d] = range.local[d] * (1 + random.below(range.global[d] / range.local[d]));
    if (range.dimensions < 3 && random.chance(40)) add_dimension(range);
    return range;
  }
  if (random.chance(40)) {
    std::uint64_t& rows = range.global[3 - range.dimensions];
    rows = 1 + random.below(rows);
  } else {
    reshape(random, range, random.chance(60) ? whole : 1 + random.below(whole));
  }
  return range;
}

/// Writes a form with group and local ids instead of global ids, as in kernels that use their groups.
void say_in_group_ids(affine_form& form, const fusion_range& range) {
  if (!has_groups(range)) return;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t step = std::exchange(form.coefficients[variable_global + d], 0);
    const bool one_group = range.global[d] == range.local[d];
    form.constant += step * static_cast<std::int64_t>(range.offset[d]);
    if (range.local[d] != 1) form.coefficients[variable_local + d] += step;
    if (!one_group) form.coefficients[variable_group + d] += step * static_cast<std::int64_t>(range.local[d]);
  }
}

/// Returns random members of a fusion. In most members, each work-item accesses one element of each space. In
/// some members, accesses break this rule.
list_case random_list(generator& random) {
  list_case c;
  c.choices = random.below(~0ull);
  decision_request& request = c.request;
  request.range = test::random_range(random, 5, 50);
  request.no_barriers = random.chance(10);
  request.only_proved = random.chance(30);
  request.trusted = random.chance(50);
  const unsigned spaces = static_cast<unsigned>(1 + random.below(3));
  const unsigned strangeness = random.pick<unsigned>({0, 0, 5, 20});
  const bool ranges_differ = random.chance(25), loops = random.chance(20), guards = random.chance(25);
  std::vector<affine_form> usual(spaces + 1);
  std::vector<bool> temporary(spaces + 1);
  std::vector<std::int64_t> in_rows(spaces + 1);  ///< bytes between elements of consecutive linear ids; 0: another form
  for (unsigned s = 1; s <= spaces; ++s) {
    usual[s] = test::random_form(random, request.range, element * random.between(1, 2));
    if (random.chance(60)) {
      // The elements follow the linear ids, so the memory may become private.
      usual[s] = {};
      std::int64_t step = in_rows[s] = element * random.between(1, 3);
      for (unsigned d = 3; d-- > 0; step *= static_cast<std::int64_t>(request.range.global[d])) {
        usual[s].coefficients[d] = step;
      }
      usual[s].constant = element * random.pick<std::int64_t>({0, 0, 0, 1, -1, -7});
    }
    temporary[s] = random.chance(60);
  }
  const unsigned members = static_cast<unsigned>(2 + random.below(3));
  for (unsigned m = 0; m < members; ++m) {
    fusion_member member{"k" + std::to_string(m), request.range, {}};
    if (ranges_differ && random.chance(60)) member.range = other_range(random, request.range);
    for (unsigned s = 1; s <= spaces; ++s) {
      fusion_pointer pointer;
      pointer.argument = {m, 8 * s};
      pointer.name = "s" + std::to_string(s);
      pointer.space = random.chance(strangeness / 8) ? 0 : s;
      pointer.base = random.chance(strangeness / 2) ? element * random.between(-2, 2) : 0;
      pointer.unobservable = temporary[s];
      request.pointers.push_back(pointer);
    }
    const unsigned accesses = static_cast<unsigned>(1 + random.below(4));
    for (unsigned i = 0; i < accesses; ++i) {
      const unsigned s = static_cast<unsigned>(1 + random.below(spaces));
      memory_access access{8 * s, true, !random.chance(strangeness), access_kind::read, usual[s], element, 0, ""};
      const bool writes = m == 0 || random.chance(50);
      if (writes) access.kind = random.chance(75) ? access_kind::write : access_kind::update;
      if (access.kind == access_kind::update) access.commutes = random.pick<std::uint8_t>({0, 1, 1, 2});
      if (random.chance(strangeness / 2)) access.known = false;
      if (random.chance(strangeness)) access.offset.constant += element * random.between(-2, 2);
      if (random.chance(strangeness)) access.bytes = 1 + random.below(12);
      if (random.chance(strangeness)) access.offset = test::random_form(random, member.range, element);
      if (!same_range(member.range, request.range) && access.offset == usual[s]) {
        if (in_rows[s] == 0) {
          access.offset = test::random_form(random, member.range, element);
        } else {
          std::int64_t step = in_rows[s];
          for (unsigned d = 3; d-- > 0; step *= static_cast<std::int64_t>(member.range.global[d])) {
            access.offset.coefficients[d] = step;
          }
        }
      }
      if (loops && random.chance(40)) test::add_loops(random, access, element);
      if (guards && random.chance(40)) test::add_guards(random, access, member.range);
      if (random.chance(strangeness / 8)) access.leaf = no_leaf, access.known = false;
      access.order = random.chance(90) ? i : static_cast<unsigned>(random.below(4));
      if (random.chance(30)) say_in_group_ids(access.offset, member.range);
      if (access.bytes == element && access.kind != access_kind::update && random.chance(30)) {
        // Divides the access into parts, in any order.
        memory_access piece = access;
        piece.bytes = element / 2;
        piece.offset.constant += random.chance(50) ? 0 : element / 2;
        access.bytes = element / 2;
        access.offset.constant += piece.offset.constant == access.offset.constant ? element / 2 : 0;
        member.accesses.accesses.push_back(piece);
      }
      member.accesses.accesses.push_back(access);
    }
    request.members.push_back(std::move(member));
  }
  return c;
}

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}
std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(a * 0x9e3779b97f4a7c15u + mix(b + 1)); }

/// Simulates memory in which every byte holds a tag that names its last writer.
class symbolic_machine {
public:
  symbolic_machine(const list_case& c, const std::vector<work_item>& items) : m_case(c), m_items(items) {}

  /// The sizes in bytes of the private memory that replaces each space. 0: the space is not promoted.
  std::vector<std::uint64_t> promoted = std::vector<std::uint64_t>(8);
  bool signed_remainder = false;
  std::vector<std::uint64_t> seen;  ///< tags that reads have found
  bool strayed = false;             ///< an access was outside of the private memory that replaces a space

  void run(unsigned m, const work_item& item) {
    const auto& accesses = m_case.request.members[m].accesses.accesses;
    std::vector<std::pair<unsigned, unsigned>> sorted;
    for (unsigned i = 0; i < accesses.size(); ++i) sorted.push_back({accesses[i].order, i});
    std::sort(sorted.begin(), sorted.end());
    const fusion_range& range = m_case.request.members[m].range;
    if (item.linear >= test::items_of(range)) return;
    for (const auto& [order, i] : sorted) {
      test::for_each_turn(accesses[i], test::item_at(range, item.linear), [&](const work_item& at) { run(m, i, at); });
    }
  }

  std::map<std::pair<unsigned, std::int64_t>, std::uint64_t> memory_that_stays() const {
    std::map<std::pair<unsigned, std::int64_t>, std::uint64_t> result;
    for (const auto& [at, value] : m_memory) {
      if (promoted[at.first] == 0) result.insert({at, value});
    }
    return result;
  }

private:
  void run(unsigned m, unsigned i, const work_item& item) {
    const memory_access& access = m_case.request.members[m].accesses.accesses[i];
    std::uint64_t who = mix(mix(m, i), item.linear);
    for (unsigned d = variable_loop; d < variable_count; ++d) who = mix(who, static_cast<std::uint64_t>(item.ids[d]));
    const std::uint64_t choice = mix(m_case.choices, who);
    if (!access.certain && choice % 2 == 0) return;
    unsigned space = no_space;
    std::int64_t at = 0;
    for (const fusion_pointer& pointer : m_case.request.pointers) {
      if (pointer.argument.member == m && pointer.argument.offset == access.leaf && pointer.space != 0) {
        space = pointer.space, at = pointer.base;
      }
    }
    if (space == no_space) space = static_cast<unsigned>(1 + (choice >> 8) % 3);
    const std::int64_t offset =
        access.known ? test::value_of(access.offset, item) : static_cast<std::int64_t>((choice >> 16) % 24) * element;
    std::uint64_t owner = 0;
    if (promoted[space] != 0) {
      // Computes the offset as the internalizer does: code at run time uses an unsigned remainder, and at compile time
      // the result is rounded down.
      const auto size = static_cast<std::int64_t>(promoted[space]);
      at = signed_remainder ? (offset % size + size) % size
                            : static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) % promoted[space]);
      strayed |= at + static_cast<std::int64_t>(access.bytes) > size;
      owner = item.linear + 1;
    } else {
      at += offset;
    }
    std::uint64_t value = 0;
    for (std::uint64_t b = 0; b < access.bytes; ++b, ++at) {
      const std::uint64_t cell = owner << 32;
      auto [found, fresh] = m_memory.insert({{space, at + static_cast<std::int64_t>(cell)}, 0});
      if (fresh) found->second = owner ? mix(who, b) : mix(space, static_cast<std::uint64_t>(at));
      value = mix(value, found->second);
      const std::uint64_t tag = mix(who, 1000 + b);
      if (access.kind == access_kind::write) found->second = tag;
      if (access.kind != access_kind::update) continue;
      if (access.commutes == 0) found->second = mix(found->second, tag);
      if (access.commutes == 1) found->second += tag;
      if (access.commutes == 2) found->second *= tag | 1;
    }
    const bool reads = access.kind == access_kind::read || (access.kind == access_kind::update && access.commutes == 0);
    const std::size_t slot = (m * 8 + i) * m_items.size() + item.linear;
    if (seen.size() <= slot) seen.resize(slot + 1);
    if (reads) seen[slot] = mix(seen[slot], value);
  }

  const list_case& m_case;
  const std::vector<work_item>& m_items;
  std::map<std::pair<unsigned, std::int64_t>, std::uint64_t> m_memory;
};

/// Returns the work-items in an order that a launch may have: group by group, forwards or backwards.
std::vector<std::vector<work_item>> groups_of(const fusion_range& range, bool backwards) {
  std::map<std::uint64_t, std::vector<work_item>> groups;
  for (std::uint64_t i = 0; i < test::items_of(range); ++i) {
    const work_item item = test::item_at(range, i);
    groups[has_groups(range) ? item.group : i].push_back(item);
  }
  std::vector<std::vector<work_item>> result;
  for (auto& [number, items] : groups) {
    if (backwards) std::reverse(items.begin(), items.end());
    result.push_back(std::move(items));
  }
  if (backwards) std::reverse(result.begin(), result.end());
  return result;
}

/// Simulates the list as single kernels and as a fused kernel, with the same order of work-items. Returns the
/// difference.
std::string compare_runs(const list_case& c, const fusion_decision& decision, bool backwards, bool signed_remainder) {
  const auto groups = groups_of(c.request.range, backwards);
  std::vector<work_item> items;
  for (const auto& group : groups) items.insert(items.end(), group.begin(), group.end());
  const unsigned members = static_cast<unsigned>(c.request.members.size());
  symbolic_machine apart(c, items), fused(c, items);
  for (unsigned m = 0; m < members; ++m) {
    for (const work_item& item : items) apart.run(m, item);
  }
  for (const identical_set& set : decision.sets) {
    if (set.promoted == promotion::none) continue;
    for (const fusion_pointer& pointer : c.request.pointers) {
      const bool same =
          pointer.argument.member == set.arguments[0].member && pointer.argument.offset == set.arguments[0].offset;
      if (same) apart.promoted[pointer.space] = fused.promoted[pointer.space] = set.elements * set.element_bytes;
    }
  }
  fused.signed_remainder = signed_remainder;
  for (const auto& group : groups) {
    for (unsigned first = 0; first < members;) {
      unsigned last = first + 1;
      while (last < members && !std::count(decision.barriers.begin(), decision.barriers.end(), last)) ++last;
      for (const work_item& item : group) {
        for (unsigned m = first; m < last; ++m) fused.run(m, item);
      }
      first = last;
    }
  }
  if (fused.strayed) return "an access leaves the promoted memory";
  if (apart.seen != fused.seen) return "a read sees another value";
  if (apart.memory_that_stays() != fused.memory_that_stays()) return "memory differs in the end";
  return {};
}

bool has_witness(const list_case& c) {
  const auto& members = c.request.members;
  auto pointer_of = [&](unsigned m, const memory_access& access) -> const fusion_pointer* {
    for (const fusion_pointer& pointer : c.request.pointers) {
      if (pointer.argument.member == m && pointer.argument.offset == access.leaf && pointer.space != 0) return &pointer;
    }
    return nullptr;
  };
  for (unsigned p = 0; p < members.size(); ++p) {
    for (unsigned k = p + 1; k < members.size(); ++k) {
      for (const memory_access& a : members[p].accesses.accesses) {
        for (const memory_access& b : members[k].accesses.accesses) {
          const fusion_pointer* to_a = pointer_of(p, a);
          const fusion_pointer* to_b = pointer_of(k, b);
          const bool certain = a.certain && a.known && b.certain && b.known;
          if (!certain || !to_a || !to_b || to_a->space != to_b->space) continue;
          if (a.kind == access_kind::read && b.kind == access_kind::read) continue;
          const bool alike = a.kind == b.kind && a.commutes == b.commutes && a.bytes == b.bytes;
          if (alike && a.kind == access_kind::update && a.commutes != 0) continue;
          const conflict_case both{c.request.range, a, b, to_a->base, to_b->base};
          if (brute_force(both, members[p].range, members[k].range).groups) return true;
        }
      }
    }
  }
  return false;
}

std::string judge(const list_case& c, const fusion_decision& decision) {
  if (!decision.refused.empty()) {
    return decision.legality == verdict::disproved && !has_witness(c) ? "refused without a witness" : "";
  }
  if (decision.legality == verdict::disproved) return "disproved and not refused";
  if (decision.legality != verdict::proved) return {};
  for (unsigned way = 0; way < 4; ++way) {
    std::string error = compare_runs(c, decision, way & 1, way & 2);
    if (!error.empty()) return error;
  }
  return {};
}

std::string describe(const list_case& c, const fusion_decision& decision) {
  std::string text = "global ";
  for (auto each : c.request.range.global) text += std::to_string(each) + " ";
  text += "local ";
  for (auto each : c.request.range.local) text += std::to_string(each) + " ";
  for (const fusion_member& member : c.request.members) {
    text += "\n  " + member.name + " over";
    for (auto each : member.range.global) text += " " + std::to_string(each);
    for (const memory_access& access : member.accesses.accesses) {
      text += "\n  " + member.name + " s" + std::to_string(access.leaf == no_leaf ? 0 : access.leaf / 8) + " " +
              (access.kind == access_kind::read    ? "read"
               : access.kind == access_kind::write ? "write"
                                                   : "update") +
              std::to_string(access.commutes) + (access.known ? "" : " somewhere") +
              (access.certain ? "" : " perhaps") + " order " + std::to_string(access.order) + " bytes " +
              std::to_string(access.bytes) + " at ";
      for (auto each : access.offset.coefficients) text += std::to_string(each) + " ";
      text += "+ " + std::to_string(access.offset.constant) + " turns";
      for (auto each : access.turns) text += " " + std::to_string(each);
      for (const affine_form& guard : access.guards) {
        text += ", if ";
        for (auto each : guard.coefficients) text += std::to_string(each) + " ";
        text += "+ " + std::to_string(guard.constant);
      }
    }
  }
  text += "\n  refused '" + decision.refused + "', barriers";
  for (unsigned each : decision.barriers) text += " " + std::to_string(each);
  for (const report_statement& note : decision.notes) text += "\n  " + note.topic + " " + note.text;
  return text;
}

bool has_promotion(const fusion_decision& decision) {
  return std::any_of(decision.sets.begin(), decision.sets.end(),
                     [](const identical_set& set) { return set.promoted != promotion::none; });
}

}  // namespace

TEST_CASE("decided fusions do what the kernels do one after the other") {
  constexpr unsigned cases = sinter::test::cases_of(20'000);
  generator random(seed + 2);
  unsigned wrong = 0, refused = 0, proved = 0, unknown = 0, promoted = 0, elided = 0, kept = 0, plain = 0,
           plain_unknown = 0;
  for (unsigned i = 0; i < cases; ++i) {
    const list_case c = random_list(random);
    const fusion_decision decision = decide_fusion(c.request);
    const std::string error = judge(c, decision);
    if (!error.empty() && ++wrong <= 3) FAIL_CHECK("case " << i << ": " << error << "\n" << describe(c, decision));
    bool all_known = true;
    for (const fusion_member& member : c.request.members) {
      for (const memory_access& access : member.accesses.accesses) {
        all_known &= access.known && access.certain && access.guards.empty();
      }
      all_known &= same_range(member.range, c.request.range);
    }
    for (const fusion_pointer& pointer : c.request.pointers) all_known &= pointer.space != 0;
    plain += all_known;
    plain_unknown += all_known && decision.legality == verdict::unknown;
    unknown += decision.legality == verdict::unknown;
    refused += !decision.refused.empty() && decision.legality == verdict::disproved;
    if (!decision.refused.empty() || decision.legality != verdict::proved) continue;
    ++proved;
    promoted += has_promotion(decision);
    if (!has_groups(c.request.range)) continue;
    kept += !decision.barriers.empty();
    elided += decision.barriers.size() + 1 < c.request.members.size();
  }
  CHECK(wrong == 0);
  MESSAGE("seed " << seed + 2 << ": " << cases << " lists, " << proved << " proved, " << promoted
                  << " with promotions, " << elided << " with barriers left out, " << kept << " with barriers, "
                  << refused << " disproved, " << unknown << " unknown; of " << plain << " lists of certain accesses "
                  << plain_unknown << " unknown");
  CHECK(plain_unknown * 1000 <= plain);
  CHECK(unknown * 2 < cases);
  for (unsigned often : {proved, refused}) CHECK(often > cases / 10);
  for (unsigned often : {promoted, elided, kept}) CHECK(often > cases / 100);
}

TEST_CASE("planted errors in decisions are noticed") {
  struct planted {
    const char* name;
    std::function<void(memory_access&)> access;
    std::function<void(decision_request&)> request;
    std::function<void(fusion_decision&)> decision;
  };
  auto nothing = [](auto&) {};
  const planted all[] = {
      {"everything certain", [](memory_access& a) { a.certain = true; }, nothing, nothing},
      {"everything known", [](memory_access& a) { a.known = true; }, nothing, nothing},
      {"narrow accesses", [](memory_access& a) { a.bytes = 1; }, nothing, nothing},
      {"updates change places", [](memory_access& a) { a.commutes = 1; }, nothing, nothing},
      {"updates as reads",
       [](memory_access& a) {
         if (a.kind == access_kind::update) a.kind = access_kind::read;
       },
       nothing, nothing},
      {"order inside a member turned round", [](memory_access& a) { a.order = 9 - a.order; }, nothing, nothing},
      {"constants forgotten", [](memory_access& a) { a.offset.constant = 0; }, nothing, nothing},
      {"bases forgotten", nothing,
       [](decision_request& r) {
         for (auto& each : r.pointers) each.base = 0;
       },
       nothing},
      {"another space", nothing, [](decision_request& r) { r.pointers.front().space = 7; }, nothing},
      {"groups taken for one", nothing,
       [](decision_request& r) {
         if (!has_groups(r.range)) return;
         std::copy(r.range.global, r.range.global + 3, r.range.local);
         for (fusion_member& member : r.members) member.range = r.range;
       },
       nothing},
      {"no barriers", nothing, nothing, [](fusion_decision& d) { d.barriers.clear(); }},
      {"promoted memory too small", nothing, nothing,
       [](fusion_decision& d) {
         for (identical_set& set : d.sets) set.element_bytes = (set.element_bytes + 1) / 2;
       }},
      {"everything promoted", nothing, nothing,
       [](fusion_decision& d) {
         for (identical_set& set : d.sets)
           set.promoted = promotion::private_memory, set.elements = 1, set.element_bytes = 64;
       }},
  };
  for (const planted& error : all) {
    generator random(seed + 3);
    unsigned noticed = 0;
    for (unsigned i = 0; i < 3000 && noticed == 0; ++i) {
      const list_case c = random_list(random);
      list_case changed = c;
      for (fusion_member& member : changed.request.members) {
        for (memory_access& access : member.accesses.accesses) error.access(access);
      }
      error.request(changed.request);
      fusion_decision decision = decide_fusion(changed.request);
      error.decision(decision);
      noticed += !judge(c, decision).empty();
    }
    CHECK_MESSAGE(noticed > 0, error.name);
  }
}

// --------------------------------------------------------------------------------------------- what brute force found

namespace {

/// Makes a request for members over 8 work-items that make these accesses to one space.
decision_request request_of(std::vector<std::vector<memory_access>> members) {
  decision_request request;
  request.range.global[2] = 8;
  for (auto& accesses : members) {
    const auto number = static_cast<unsigned>(request.members.size());
    request.pointers.push_back({{number, 8}, "t", 1, 0, promotion::none, false, 0, 0});
    request.members.push_back(
        {"k" + std::to_string(number), request.range, {std::move(accesses), {}, false, false, false, ""}});
  }
  return request;
}

memory_access one(access_kind kind, std::int64_t constant, std::int64_t coefficient) {
  memory_access access{8, true, true, kind, {}, 4, 0, ""};
  access.offset.constant = constant;
  access.offset.coefficients[variable_global + 2] = coefficient;
  return access;
}

memory_access cell_update(std::uint8_t commutes) {
  memory_access access = one(access_kind::update, 0, 0);
  access.commutes = commutes;
  return access;
}

}  // namespace

TEST_CASE("atomic updates may change places when the operation is the same and tells nothing") {
  CHECK(decide_fusion(request_of({{cell_update(1)}, {cell_update(1)}})).legality == verdict::proved);
  CHECK(decide_fusion(request_of({{cell_update(1)}, {cell_update(2)}})).legality == verdict::disproved);
  CHECK(decide_fusion(request_of({{cell_update(0)}, {cell_update(0)}})).legality == verdict::disproved);
}

TEST_CASE("what is not proved of a kernel whose groups wait for each other is refused") {
  auto decide = [](bool collective, bool same_element) {
    decision_request request = request_of({{one(access_kind::write, 0, 4)}, {one(access_kind::read, 0, 4)}});
    request.members[0].accesses.is_collective = collective;
    if (!same_element)
      request.members[0].accesses.accesses[0].certain = request.members[0].accesses.accesses[0].known = false;
    return decide_fusion(request);
  };
  CHECK(decide(true, true).refused.empty());
  CHECK(decide(false, false).refused.find("it is not proved that no work-item needs") == 0);
  CHECK(decide(true, false).refused.find("combines what all work-groups did") != std::string::npos);
}

namespace {

/// Makes a request of two members over 64 work-items. In the first member, each work-item writes an element of `bytes`
/// bytes. The second member reads the element.
decision_request element_in_pieces(std::uint64_t bytes) {
  decision_request request;
  request.range.global[2] = 64;
  for (unsigned m = 0; m < 2; ++m) {
    request.members.push_back({m == 0 ? "writer" : "reader", request.range, {}});
    request.pointers.push_back({{m, 0}, "tmp", 1, 0, promotion::none, true});
  }
  affine_form own;
  own.coefficients[2] = static_cast<std::int64_t>(bytes);
  request.members[0].accesses.accesses.push_back({0, true, true, access_kind::write, own, bytes, 0, ""});
  request.members[1].accesses.accesses.push_back({0, true, true, access_kind::read, own, bytes, 0, ""});
  return request;
}

/// Turns an access into a loop over parts of `size` bytes.
memory_access in_loop(memory_access access, std::uint64_t size) {
  access.turns[0] = access.bytes / size;
  access.offset.coefficients[variable_loop] = static_cast<std::int64_t>(size);
  access.bytes = size;
  return access;
}

/// Divides the access into `count` accesses, beginning with the last part.
std::vector<memory_access> cut(const memory_access& access, std::uint64_t count) {
  std::vector<memory_access> pieces(count, access);
  for (std::uint64_t i = 0; i < count; ++i) {
    pieces[i].bytes = access.bytes / count;
    pieces[i].offset.constant += static_cast<std::int64_t>((count - 1 - i) * pieces[i].bytes);
    pieces[i].order = static_cast<unsigned>(i);
  }
  return pieces;
}

}  // namespace

TEST_CASE("elements that are written and read in pieces are promoted") {
  for (const unsigned way : {0u, 1u, 2u, 3u}) {
    decision_request request = element_in_pieces(16);
    std::vector<memory_access>&written = request.members[0].accesses.accesses,
    &read = request.members[1].accesses.accesses;
    const memory_access whole = written[0];
    if (way == 0) written = cut(whole, 2), read[0] = in_loop(read[0], 4);
    if (way == 1) written[0] = in_loop(whole, 4), read = cut(read[0], 2);
    if (way == 2) written = cut(in_loop(whole, 8), 2), read = cut(read[0], 4);
    if (way == 3) written = {in_loop(cut(whole, 2)[0], 4), in_loop(cut(whole, 2)[1], 2)}, read[0] = in_loop(read[0], 1);
    const fusion_decision decision = decide_fusion(request);
    CHECK(decision.refused.empty());
    REQUIRE(decision.promoted.size() == 1);
    CHECK(decision.promoted[0].saved_bytes == 2 * 16 * 64);
    CHECK(decision.sets[0].promoted == promotion::private_memory);
    // One part of the element is not written.
    written.pop_back();
    if (written.empty()) written.push_back(in_loop(whole, 4)), written[0].turns[0] = 3;
    const fusion_decision missing = decide_fusion(request);
    CHECK(missing.promoted.empty());
    REQUIRE(!missing.notes.empty());
    CHECK(missing.notes.back().topic == "in memory");
    CHECK(missing.notes.back().text == "tmp: 'reader' reads what is not proved to have been written before");
  }
}

TEST_CASE("why memory stays is said as it is") {
  const auto why = [](auto change) {
    decision_request request = element_in_pieces(16);
    request.trusted = true;
    change(request, request.members[0].accesses.accesses[0], request.members[1].accesses.accesses[0]);
    const fusion_decision decision = decide_fusion(request);
    return decision.promoted.empty() && !decision.notes.empty() ? decision.notes.back().text : "promoted";
  };
  using request = decision_request;
  using access = memory_access;
  CHECK(why([](request&, access&, access&) {}) == "promoted");
  CHECK(why([](request& all, access&, access&) { all.members[0].accesses.accesses.clear(); }) ==
        "tmp: 'reader' reads values from before the fusion");
  CHECK(why([](request&, access& write, access&) { write.certain = false; }) ==
        "tmp: 'reader' reads what is not proved to have been written before");
  CHECK(why([](request& all, access&, access&) { all.members[1].accesses.unknown_effect = "a volatile access"; }) ==
        "tmp: 'reader' contains a volatile access");
  CHECK(why([](request&, access& write, access& read) {
          write.offset.coefficients[2] = read.offset.coefficients[2] = 8192;
        }) == "tmp: the elements of neighbouring work-items lie more than 4096 bytes apart");
  CHECK(why([](request&, access& write, access& read) { write.offset.constant = read.offset.constant = 8; }) ==
        "tmp: an access of 'writer' reaches into two elements");
  // A launch of one work-item has no conflicts between work-items.
  CHECK(why([](request& all, access& write, access& read) {
          all.range.global[2] = 1;
          for (fusion_member& each : all.members) each.range = all.range;
          write.offset = read.offset = {};
          write.offset.constant = read.offset.constant = 8;
        }) == "promoted");
}

TEST_CASE("memory in front of its pointer stays where it is") {
  auto promoted_at = [](std::int64_t constant) {
    decision_request request =
        request_of({{one(access_kind::write, constant, 12)}, {one(access_kind::read, constant, 12)}});
    for (fusion_pointer& pointer : request.pointers) pointer.unobservable = true;
    return has_promotion(decide_fusion(request));
  };
  CHECK(promoted_at(0));
  CHECK(promoted_at(8));
  CHECK(!promoted_at(-4));
}

TEST_CASE("a promise to need no barriers is no proof") {
  decision_request request = request_of({{one(access_kind::write, 0, 4)}, {one(access_kind::read, 0, 0)}});
  request.members[1].accesses.accesses[0].certain = false;
  std::fill(request.range.local, request.range.local + 2, 1);
  request.range.local[2] = 8;
  for (fusion_member& member : request.members) member.range = request.range;
  CHECK(decide_fusion(request).barriers == std::vector{1u});
  request.no_barriers = true;
  CHECK(decide_fusion(request).barriers.empty());
  CHECK(decide_fusion(request).legality == verdict::unknown);
  request.only_proved = true;
  CHECK(decide_fusion(request).barriers == std::vector{1u});
  CHECK(decide_fusion(request).legality == verdict::proved);
}

TEST_CASE("a promised promotion that a certain exchange contradicts is not honoured") {
  const auto promoted_with = [](std::int64_t constant, std::int64_t step, promotion wanted) {
    decision_request request = request_of({{one(access_kind::write, 0, 4)}, {one(access_kind::read, constant, step)}});
    std::fill(request.range.global, request.range.global + 3, 1);
    std::fill(request.range.local, request.range.local + 3, 1);
    request.range.global[2] = request.range.local[2] = 8;
    for (fusion_member& member : request.members) member.range = request.range;
    for (fusion_pointer& pointer : request.pointers) {
      pointer.requested = wanted;
      pointer.elements = 8;
      pointer.element_bytes = 4;
    }
    const fusion_decision decision = decide_fusion(request);
    return decision.promoted.empty() ? decision.notes.back().text : "promoted";
  };
  CHECK(promoted_with(0, 4, promotion::private_memory) == "promoted");
  // Each work-item reads an element that another work-item of its group has written.
  CHECK(promoted_with(28, -4, promotion::private_memory) ==
        "t in spite of the promotion: work-item 3 uses what work-item 4 uses");
  CHECK(promoted_with(28, -4, promotion::local_memory) == "promoted");
}
