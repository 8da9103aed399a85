#pragma once
/// For tests that compare the analysis of fusion with brute force: random ND-ranges, random affine forms, and the value
/// of a form for one work-item.

#include <initializer_list>
#include <passes/fusion/access_form.hpp>
#include <passes/fusion/fusion_metadata.hpp>
#include <random>

namespace sinter::test {

class generator {
public:
  explicit generator(std::uint64_t seed) : m_engine(seed) {}
  std::uint64_t below(std::uint64_t count) { return m_engine() % count; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

private:
  std::mt19937_64 m_engine;
};

inline std::uint64_t items_of(const passes::fusion_range& range) {
  return range.global[0] * range.global[1] * range.global[2];
}

/// Returns a range of 1 to 3 dimensions. Each dimension has 1 to `largest` work-items. Local sizes are often divisors
/// of global sizes.
inline passes::fusion_range random_range(generator& random, std::uint64_t largest, unsigned groups_percent) {
  passes::fusion_range range;
  range.dimensions = static_cast<unsigned>(1 + random.below(3));
  const bool groups = random.chance(groups_percent), moved = random.chance(25);
  for (unsigned d = 0; d < 3; ++d) {
    const bool used = d >= 3 - range.dimensions;
    if (used) range.global[d] = 1 + random.below(largest);
    if (used && moved) range.offset[d] = random.below(6);
    if (!groups) continue;
    do {
      range.local[d] = 1 + random.below(range.global[d]);
    } while (range.global[d] % range.local[d] != 0);
  }
  return range;
}

struct work_item {
  std::uint64_t linear = 0, group = 0;
  std::int64_t ids[passes::variable_count] = {};
};

/// Returns the work-item with this linear id. As in the analysis, each work-item of a launch without groups counts as a
/// group.
inline work_item item_at(const passes::fusion_range& range, std::uint64_t linear) {
  work_item item;
  item.linear = linear;
  std::uint64_t position[3];
  for (unsigned d = 3; d-- > 0; linear /= range.global[d]) position[d] = linear % range.global[d];
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint64_t local = has_groups(range) ? range.local[d] : 1;
    item.ids[passes::variable_global + d] = static_cast<std::int64_t>(position[d] + range.offset[d]);
    item.ids[passes::variable_local + d] = static_cast<std::int64_t>(position[d] % local);
    item.ids[passes::variable_group + d] = static_cast<std::int64_t>(position[d] / local);
    item.group = item.group * (range.global[d] / local) + position[d] / local;
  }
  return item;
}

inline std::int64_t value_of(const passes::affine_form& form, const work_item& item) {
  // Computes modulo 2^64, because partial sums may overflow although the result does not.
  auto value = static_cast<std::uint64_t>(form.constant);
  for (unsigned i = 0; i < passes::variable_count; ++i) {
    value += static_cast<std::uint64_t>(form.coefficients[i]) * static_cast<std::uint64_t>(item.ids[i]);
  }
  return static_cast<std::int64_t>(value);
}

/// Goes through the iterations of the loops around an access, in order. Calls visit(item) for each iteration in which
/// the guards are true.
template <class Access, class Visit>
void for_each_turn(const Access& access, work_item item, Visit visit) {
  std::int64_t* turn = item.ids + passes::variable_loop;
  static_assert(passes::loop_depth == 3);
  for (turn[0] = 0; turn[0] < static_cast<std::int64_t>(access.turns[0]); ++turn[0]) {
    for (turn[1] = 0; turn[1] < static_cast<std::int64_t>(access.turns[1]); ++turn[1]) {
      for (turn[2] = 0; turn[2] < static_cast<std::int64_t>(access.turns[2]); ++turn[2]) {
        bool holds = true;
        for (const passes::affine_form& guard : access.guards) holds &= value_of(guard, item) >= 0;
        if (holds) visit(item);
      }
    }
  }
}

/// Puts loops around an access. The loops go over rows of a work-item, or over all elements of a row.
template <class Access>
void add_loops(generator& random, Access& access, std::int64_t element) {
  const unsigned loops = static_cast<unsigned>(1 + random.below(2));
  for (unsigned i = 0; i < loops; ++i) {
    access.turns[i] = random.below(random.chance(10) ? 1 : 4) + (random.chance(95) ? 1 : 0);
    access.offset.coefficients[passes::variable_loop + i] = element * random.between(-2, 4);
  }
}

/// Adds guards of kinds that kernels have. A guard leaves out the first or last index of a dimension, bounds the linear
/// id, or selects a triangle.
template <class Access>
void add_guards(generator& random, Access& access, const passes::fusion_range& range) {
  const unsigned guards = static_cast<unsigned>(1 + random.below(2));
  for (unsigned i = 0; i < guards; ++i) {
    passes::affine_form guard;
    const unsigned d = static_cast<unsigned>(random.below(3));
    const auto first = static_cast<std::int64_t>(range.offset[d]), size = static_cast<std::int64_t>(range.global[d]);
    const std::int64_t sign = random.pick<std::int64_t>({1, -1});
    guard.coefficients[d] = sign;
    guard.constant = sign > 0 ? -first - random.between(0, 2) : first + size - 1 - random.between(0, 2);
    if (random.chance(30)) guard.coefficients[random.below(passes::variable_count)] += random.between(-2, 2);
    if (random.chance(20)) guard.constant += random.between(-3, 3);
    access.guards.push_back(guard);
  }
}

/// Returns an affine form of a kind that kernels have: row-major and transposed indices, padded rows, tiles, reversed
/// indices, single cells.
inline passes::affine_form random_form(generator& random, const passes::fusion_range& range, std::int64_t element) {
  passes::affine_form form;
  const bool groups = has_groups(range);
  auto global = [&](unsigned d) -> std::int64_t& { return form.coefficients[passes::variable_global + d]; };
  auto local = [&](unsigned d) -> std::int64_t& { return form.coefficients[passes::variable_local + d]; };
  auto group = [&](unsigned d) -> std::int64_t& { return form.coefficients[passes::variable_group + d]; };
  const std::uint64_t shape = random.below(groups ? 6 : 4);
  const std::int64_t padding = random.chance(70) ? 0 : random.between(-1, 2);
  std::int64_t step = element;
  if (shape <= 1 || shape == 4) {
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned d = shape == 1 ? i : 2 - i;
      const auto size = static_cast<std::int64_t>(range.global[d]);
      if (shape == 4) {
        // Expresses the index by group and local id. Within a group, the index falls in some dimensions when the local
        // id grows.
        const auto length = static_cast<std::int64_t>(range.local[d]);
        group(d) = step * length;
        local(d) = random.chance(40) ? -step : step;
        if (local(d) < 0) form.constant += step * (length - 1);
      } else {
        global(d) = step;
      }
      step *= size + (size + padding > 0 ? padding : 0);
    }
  } else if (shape == 2) {
    for (unsigned d = 0; d < 3; ++d) global(d) = element * random.between(-3, 4);
  } else if (shape == 3) {
    for (unsigned d = 0; d < 3; ++d) {
      if (random.chance(50)) global(d) = element * static_cast<std::int64_t>(random.below(9));
    }
  } else {
    // Each group has its own tile, and each work-item accesses a part of the tile.
    std::int64_t inside = element;
    for (unsigned d = 3; d-- > 0;) {
      if (random.chance(80)) local(d) = inside;
      inside *= static_cast<std::int64_t>(range.local[d]);
    }
    for (unsigned d = 3; d-- > 0;) {
      group(d) = inside;
      inside *= static_cast<std::int64_t>(range.global[d] / range.local[d]);
    }
  }
  if (random.chance(10)) form.coefficients[random.below(passes::variable_loop)] = element * random.between(-4, 4);
  if (random.chance(8)) {
    for (std::int64_t& each : form.coefficients) each = -each;
  }
  if (random.chance(50)) form.constant += element * random.between(-4, 4);
  if (random.chance(8)) form.constant += random.between(-3, 3);
  return form;
}

}  // namespace sinter::test
