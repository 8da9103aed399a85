#include "conflict.hpp"

#include <abi/planted_error.hpp>
#include <algorithm>

namespace sinter::passes {
namespace {

using wide = __int128;

// The most nodes that a search visits. If a search needs more nodes, the answer is "unknown".
constexpr unsigned search_budget = 4096;
// This number is larger than all sums of products.
constexpr wide endless = wide{1} << 120;

wide absolute(wide value) { return value < 0 ? -value : value; }
wide floor_div(wide a, wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
wide ceil_div(wide a, wide b) { return -floor_div(-a, b); }

/// The range of one digit. "Digits" are the unknown numbers of the search: the ids of two work-items, and the iteration
/// numbers of their loops.
struct digit {
  wide least, most;
};

/// The condition low <= sum of coefficients * digits <= high.
struct limit {
  std::vector<wide> coefficients;  ///< one for each digit
  wide low, high;
};

/// Finds values of the digits that meet all limits. The search chooses values for one digit after the other: first for
/// digits of the first limit, the largest coefficients first, then for the other digits. A value is given up as soon as
/// no values of the remaining digits can meet the limits.
class digit_search {
public:
  digit_search(const std::vector<digit>& digits, const std::vector<limit>& limits)
      : m_digits(digits), m_limits(limits), m_values(digits.size()), m_fixed(limits.size()) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      m_values[i] = digits[i].least;
      m_empty |= digits[i].least > digits[i].most;
      const bool counts =
          std::any_of(limits.begin(), limits.end(), [&](const limit& each) { return each.coefficients[i] != 0; });
      if (!counts) continue;
      if (digits[i].least != digits[i].most) {
        m_order.push_back(i);
        continue;
      }
      for (std::size_t l = 0; l < limits.size(); ++l) m_fixed[l] += limits[l].coefficients[i] * digits[i].least;
    }
    auto named = [&](std::size_t i) {
      return std::count_if(limits.begin(), limits.end(), [&](const limit& each) { return each.coefficients[i] != 0; });
    };
    std::sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
      const wide one = absolute(limits[0].coefficients[a]), other = absolute(limits[0].coefficients[b]);
      if (one != other) return one > other;
      const auto limits_a = named(a), limits_b = named(b);
      return limits_a != limits_b ? limits_a > limits_b : a < b;
    });
    m_rest.assign(m_order.size() + 1, std::vector<std::pair<wide, wide>>(limits.size()));
    for (std::size_t i = m_order.size(); i-- > 0;) {
      const digit& d = digits[m_order[i]];
      for (std::size_t l = 0; l < limits.size(); ++l) {
        const wide one = limits[l].coefficients[m_order[i]] * d.least,
                   other = limits[l].coefficients[m_order[i]] * d.most;
        m_rest[i][l] = {m_rest[i + 1][l].first + std::min(one, other), m_rest[i + 1][l].second + std::max(one, other)};
      }
    }
    m_sums.assign(m_order.size() + 1, m_fixed);
  }

  /// Returns `proved` if no values meet the limits. Returns `disproved` if some values meet the limits; values() then
  /// returns these values. Returns `unknown` if the budget ran out.
  verdict run() {
    if (m_empty) return verdict::proved;
    m_left = search_budget;
    if (find(0)) return verdict::disproved;
    return m_left == 0 ? verdict::unknown : verdict::proved;
  }
  const std::vector<wide>& values() const { return m_values; }

private:
  bool find(std::size_t depth) {
    if (m_left == 0) return false;
    --m_left;
    const std::vector<wide>& sums = m_sums[depth];
    for (std::size_t l = 0; l < m_limits.size(); ++l) {
      if (sums[l] + m_rest[depth][l].first > m_limits[l].high) return false;
      if (sums[l] + m_rest[depth][l].second < m_limits[l].low) return false;
    }
    if (depth == m_order.size()) return true;
    const std::size_t which = m_order[depth];
    wide first = m_digits[which].least, last = m_digits[which].most;
    for (std::size_t l = 0; l < m_limits.size(); ++l) {
      const wide coefficient = m_limits[l].coefficients[which];
      if (coefficient == 0) continue;
      wide from = m_limits[l].low - sums[l] - m_rest[depth + 1][l].second;
      wide to = m_limits[l].high - sums[l] - m_rest[depth + 1][l].first;
      if (coefficient < 0) std::swap(from, to);
      first = std::max(first, ceil_div(from, coefficient));
      last = std::min(last, floor_div(to, coefficient));
    }
    for (wide value = first; value <= last && m_left != 0; ++value) {
      m_values[which] = value;
      for (std::size_t l = 0; l < m_limits.size(); ++l) {
        m_sums[depth + 1][l] = sums[l] + m_limits[l].coefficients[which] * value;
      }
      if (find(depth + 1)) return true;
    }
    return false;
  }

  const std::vector<digit>& m_digits;
  const std::vector<limit>& m_limits;
  std::vector<wide> m_values, m_fixed;
  std::vector<std::size_t> m_order;
  /// For each digit and each limit: the smallest and the largest amount that this and all later digits can contribute.
  std::vector<std::vector<std::pair<wide, wide>>> m_rest;
  std::vector<std::vector<wide>> m_sums;                   ///< for each limit, its sum over the chosen digits
  bool m_empty = false;
  unsigned m_left = 0;
};

// Digits of a work-item: 0-2 are its global position or its group, 3-5 its local id, 6-8 iteration numbers of loops.
constexpr unsigned id_digits = 6, all_digits = id_digits + loop_depth;

/// An affine form whose variables are digits.
struct digit_form {
  wide constant = 0;
  wide coefficients[all_digits] = {};

  wide value(const wide* digits) const {
    wide sum = constant;
    for (unsigned i = 0; i < all_digits; ++i) sum += coefficients[i] * digits[i];
    return sum;
  }
};

wide count_of(const fusion_range& range, const memory_access& access, unsigned index) {
  if (index >= id_digits) return static_cast<wide>(access.turns[index - id_digits]);
  if (index < 3)
    return has_groups(range) ? static_cast<wide>(range.global[index] / range.local[index])
                             : static_cast<wide>(range.global[index]);
  return has_groups(range) ? static_cast<wide>(range.local[index - 3]) : 1;
}

digit_form digits_of(const fusion_range& range, const affine_form& form, std::int64_t base) {
  digit_form result;
  result.constant = static_cast<wide>(form.constant) + base;
  for (unsigned d = 0; d < 3; ++d) {
    const wide global = form.coefficients[variable_global + d];
    result.constant += global * static_cast<wide>(range.offset[d]);
    result.coefficients[d] += has_groups(range) ? global * static_cast<wide>(range.local[d]) : global;
    result.coefficients[3 + d] += has_groups(range) ? global : 0;
    result.coefficients[d] += form.coefficients[variable_group + d];
    result.coefficients[3 + d] += form.coefficients[variable_local + d];
  }
  for (unsigned i = 0; i < loop_depth; ++i) result.coefficients[id_digits + i] = form.coefficients[variable_loop + i];
  return result;
}

std::uint64_t linear_position(const fusion_range& range, const wide* digits) {
  wide result = 0;
  for (unsigned d = 0; d < 3; ++d) {
    const wide at = has_groups(range) ? digits[d] * static_cast<wide>(range.local[d]) + digits[3 + d] : digits[d];
    result = result * static_cast<wide>(range.global[d]) + at;
  }
  return static_cast<std::uint64_t>(result);
}

/// An access: its address as an affine form of digits, its size, the bounds of its digits, and guards that depend on
/// several digits.
struct placed {
  digit_form form;
  wide bytes;
  wide least[all_digits], most[all_digits];
  std::vector<digit_form> guards;
  bool never = false;

  placed(const fusion_range& range, const memory_access& access, std::int64_t base)
      : form(digits_of(range, access.offset, base)), bytes(static_cast<wide>(access.bytes)) {
    for (unsigned i = 0; i < all_digits; ++i) {
      least[i] = 0;
      most[i] = count_of(range, access, i) - 1;
    }
    for (const affine_form& guard : access.guards) bound(digits_of(range, guard, 0));
    for (unsigned i = 0; i < all_digits; ++i) never |= least[i] > most[i];
  }

private:
  void bound(const digit_form& guard) {
    unsigned used = 0, which = 0;
    wide constant = guard.constant;
    for (unsigned i = 0; i < all_digits; ++i) {
      if (least[i] == most[i]) {
        constant += guard.coefficients[i] * least[i];
      } else if (guard.coefficients[i] != 0) {
        ++used, which = i;
      }
    }
    if (used == 0) {
      never |= constant < 0;
    } else if (used > 1) {
      guards.push_back(guard);
    } else if (guard.coefficients[which] > 0) {
      least[which] = std::max(least[which], ceil_div(-constant, guard.coefficients[which]));
    } else {
      most[which] = std::min(most[which], floor_div(constant, -guard.coefficients[which]));
    }
  }
};

/// The two work-items of a conflict, as digits of the search.
struct item_pair {
  std::vector<digit> digits;
  std::vector<limit> limits;
  /// x[i] is the index in `digits` of digit i of the first work-item, and y[i] that of digit i of the second work-item.
  unsigned x[id_digits], y[id_digits];
  /// Whether the entry x[i] of `digits` is the first work-item's digit minus the second work-item's digit.
  bool by_difference[id_digits] = {};

  unsigned add(wide least, wide most) {
    digits.push_back({least, most});
    return static_cast<unsigned>(digits.size()) - 1;
  }
  limit& add_limit(wide low, wide high) {
    limits.push_back({std::vector<wide>(digits.size()), low, high});
    return limits.back();
  }
  wide digit_of_x(const std::vector<wide>& values, unsigned i) const {
    return values[x[i]] + (by_difference[i] ? values[y[i]] : 0);
  }
};

/// `loops` is the index of the first digit of the access's loops.
void add_guards(item_pair& pair, const placed& access, bool is_first, unsigned loops) {
  for (const digit_form& guard : access.guards) {
    limit& added = pair.add_limit(-guard.constant, endless);
    for (unsigned i = 0; i < id_digits; ++i) {
      if (is_first) added.coefficients[pair.x[i]] += guard.coefficients[i];
      if (!is_first || pair.by_difference[i]) added.coefficients[pair.y[i]] += guard.coefficients[i];
    }
    for (unsigned i = 0; i < loop_depth; ++i) added.coefficients[loops + i] += guard.coefficients[id_digits + i];
  }
}

item_pair pair_of(const placed& a, const placed& b) {
  item_pair pair;
  for (unsigned i = 0; i < id_digits; ++i) {
    // If both addresses have the same coefficient for the digit, only the difference of the digit's two values matters.
    pair.by_difference[i] = a.form.coefficients[i] == b.form.coefficients[i];
    pair.x[i] = pair.by_difference[i] ? pair.add(a.least[i] - b.most[i], a.most[i] - b.least[i])
                                      : pair.add(a.least[i], a.most[i]);
  }
  unsigned loops[2];
  for (const placed* each : {&a, &b}) {
    loops[each == &b] = static_cast<unsigned>(pair.digits.size());
    for (unsigned i = id_digits; i < all_digits; ++i) pair.add(each->least[i], each->most[i]);
  }
  for (unsigned i = 0; i < id_digits; ++i) pair.y[i] = pair.add(b.least[i], b.most[i]);
  const wide delta = a.form.constant - b.form.constant;
  limit& meeting = pair.add_limit(-a.bytes + 1 - delta, b.bytes - 1 - delta);
  for (unsigned i = 0; i < id_digits; ++i) {
    meeting.coefficients[pair.x[i]] = a.form.coefficients[i];
    if (!pair.by_difference[i]) meeting.coefficients[pair.y[i]] = -b.form.coefficients[i];
  }
  for (unsigned i = 0; i < loop_depth; ++i) {
    meeting.coefficients[loops[0] + i] = a.form.coefficients[id_digits + i];
    meeting.coefficients[loops[1] + i] = -b.form.coefficients[id_digits + i];
  }
  add_guards(pair, a, true, loops[0]);
  add_guards(pair, b, false, loops[1]);
  for (unsigned i = 0; i < id_digits; ++i) {
    if (!pair.by_difference[i]) continue;
    if (a.least[i] == a.most[i] && b.least[i] == b.most[i]) continue;
    limit& inside = pair.add_limit(a.least[i], a.most[i]);
    inside.coefficients[pair.x[i]] = inside.coefficients[pair.y[i]] = 1;
  }
  return pair;
}

/// Searches for two work-items whose accesses overlap, and whose ids differ in one of the first `count` digits.
verdict search(const fusion_range& range, item_pair& pair, unsigned count, conflict& found) {
  verdict result = verdict::proved;
  for (unsigned i = 0; i < count; ++i) {
    for (const bool larger : {true, false}) {
      limit& differs = larger ? pair.add_limit(1, endless) : pair.add_limit(-endless, -1);
      differs.coefficients[pair.x[i]] = 1;
      if (!pair.by_difference[i]) differs.coefficients[pair.y[i]] = -1;
      digit_search one(pair.digits, pair.limits);
      const verdict answer = one.run();
      pair.limits.pop_back();
      if (answer == verdict::disproved) {
        wide x[id_digits], y[id_digits];
        for (unsigned d = 0; d < id_digits; ++d) {
          x[d] = pair.digit_of_x(one.values(), d);
          y[d] = one.values()[pair.y[d]];
        }
        found.item = linear_position(range, x);
        found.other = linear_position(range, y);
        return verdict::disproved;
      }
      if (answer == verdict::unknown) result = verdict::unknown;
    }
  }
  return result;
}

}  // namespace

conflict find_conflict(const fusion_range& range, const memory_access& a, std::int64_t base_a, const memory_access& b,
                       std::int64_t base_b) {
  const placed first(range, a, base_a), second(range, b, base_b);
  if (first.never || second.never) return {};
  item_pair pair = pair_of(first, second);
  conflict result;
  result.free = search(range, pair, id_digits, result);
  result.within_group = result.free;
  if (!has_groups(range) || result.free == verdict::proved) return result;
  // The first three digits are the group's ids.
  result.within_group = search(range, pair, 3, result);
  if (result.within_group == verdict::disproved && abi::is_planted("across_groups")) {
    result.within_group = verdict::proved;
  }
  if (result.within_group == verdict::disproved) result.free = verdict::disproved;
  return result;
}

namespace {

// find_witness tries this many work-items at the beginning, at the end, and spread over the range.
constexpr std::uint64_t witness_run = 64;

bool rests_on_ids_alone(const affine_form& form) {
  return std::all_of(form.coefficients.begin() + variable_local, form.coefficients.end(),
                     [](auto each) { return each == 0; });
}

bool is_certain(const memory_access& access) {
  return access.known && access.certain && rests_on_ids_alone(access.offset) &&
         std::all_of(access.guards.begin(), access.guards.end(), rests_on_ids_alone) &&
         std::all_of(access.turns.begin(), access.turns.end(), [](std::uint64_t each) { return each == 1; });
}

wide value_at(const affine_form& form, const fusion_range& range, std::uint64_t item) {
  wide value = form.constant;
  for (unsigned d = 3; d-- > 0; item /= range.global[d]) {
    value += wide{form.coefficients[variable_global + d]} * (item % range.global[d] + range.offset[d]);
  }
  return value;
}

bool happens(const ranged_access& at, std::uint64_t item) {
  return std::all_of(at.access.guards.begin(), at.access.guards.end(),
                     [&](const affine_form& guard) { return value_at(guard, at.range, item) >= 0; });
}

/// Returns the work-item whose access begins at the address. The function divides the offset by the step of each
/// dimension, beginning with the largest step. If this does not give the right ids, the result is any work-item.
std::uint64_t item_at(const ranged_access& at, wide address) {
  unsigned dimensions[3] = {0, 1, 2};
  auto step = [&](unsigned d) { return wide{at.access.offset.coefficients[variable_global + d]}; };
  std::sort(dimensions, dimensions + 3, [&](unsigned a, unsigned b) { return absolute(step(a)) > absolute(step(b)); });
  wide left = address - at.base - value_at(at.access.offset, at.range, 0);
  for (unsigned d = 0; d < 3; ++d) {
    if (step(d) < 0) left -= step(d) * (at.range.global[d] - 1);
  }
  wide ids[3] = {0, 0, 0};
  for (unsigned d : dimensions) {
    const wide last = at.range.global[d] - 1;
    if (step(d) == 0) continue;
    const wide digit = std::clamp<wide>(floor_div(left, absolute(step(d))), 0, last);
    left -= digit * absolute(step(d));
    ids[d] = step(d) < 0 ? last - digit : digit;
  }
  return static_cast<std::uint64_t>((ids[0] * at.range.global[1] + ids[1]) * at.range.global[2] + ids[2]);
}

bool in_one_group(const fusion_range& range, std::uint64_t item, std::uint64_t other) {
  if (!has_groups(range)) return item == other;
  for (unsigned d = 3; d-- > 0; item /= range.global[d], other /= range.global[d]) {
    if (item % range.global[d] / range.local[d] != other % range.global[d] / range.local[d]) return false;
  }
  return true;
}

}  // namespace

bool find_witness(const fusion_range& fused, const ranged_access& a, const ranged_access& b, conflict& found) {
  if (!is_certain(a.access) || !is_certain(b.access)) return false;
  const std::uint64_t size = size_of(b.range);
  if (size == 0 || size_of(a.range) == 0) return false;
  for (std::uint64_t i = 0; i < 3 * witness_run; ++i) {
    const std::uint64_t k = i % witness_run;
    std::uint64_t other = i < witness_run ? k : size - 1 - k;
    if (i >= 2 * witness_run) other = static_cast<std::uint64_t>(wide{size} * k / witness_run);
    if (other >= size || !happens(b, other)) continue;
    const wide to = value_at(b.access.offset, b.range, other) + b.base;
    const std::uint64_t item = item_at(a, to);
    const wide from = value_at(a.access.offset, a.range, item) + a.base;
    const bool meet = from < to + static_cast<wide>(b.access.bytes) && to < from + static_cast<wide>(a.access.bytes);
    if (!meet || in_one_group(fused, item, other) || !happens(a, item)) continue;
    found = {verdict::disproved, has_groups(fused) ? verdict::disproved : verdict::unknown, item, other};
    return true;
  }
  return false;
}

}  // namespace sinter::passes
