#include "conflict.hpp"

#include <algorithm>

namespace sinter::passes {
namespace {

using wide = __int128;

// Nodes the search may visit before it says unknown.
constexpr unsigned search_budget = 4096;

wide absolute(wide value) { return value < 0 ? -value : value; }
wide floor_div(wide a, wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
wide ceil_div(wide a, wide b) { return -floor_div(-a, b); }

/// One digit of a pair of work-items.
struct digit {
  wide coefficient;
  wide least, most;
};

/// Finds values of the digits with low <= constant + sum of products <= high that `accept` takes, largest coefficient
/// first.
template <class Accept>
class digit_search {
public:
  /// `filters`: `accept` asks for more than that digits differ.
  digit_search(std::vector<digit> digits, bool filters, Accept accept)
      : m_digits(std::move(digits)), m_filters(filters), m_accept(accept), m_values(m_digits.size()) {
    for (std::size_t i = 0; i < m_digits.size(); ++i) {
      m_empty |= m_digits[i].least > m_digits[i].most;
      m_values[i] = m_digits[i].least;
      if (m_digits[i].least == m_digits[i].most) {
        m_fixed += m_digits[i].coefficient * m_digits[i].least;
      } else {
        m_order.push_back(i);
      }
    }
    std::sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
      const wide one = absolute(m_digits[a].coefficient), other = absolute(m_digits[b].coefficient);
      return one != other ? one > other : a < b;
    });
    m_rest.resize(m_order.size() + 1, {0, 0});
    for (std::size_t i = m_order.size(); i-- > 0;) {
      const digit& d = m_digits[m_order[i]];
      m_rest[i] = {m_rest[i + 1].first + std::min(d.coefficient * d.least, d.coefficient * d.most),
                   m_rest[i + 1].second + std::max(d.coefficient * d.least, d.coefficient * d.most)};
    }
  }

  /// proved: there is none; disproved: there is one, in values(); unknown: the budget ran out.
  verdict run(wide low, wide high) {
    if (m_empty) return verdict::proved;
    m_left = search_budget;
    if (find(0, low - m_fixed, high - m_fixed)) return verdict::disproved;
    return m_left == 0 || m_skipped ? verdict::unknown : verdict::proved;
  }
  const std::vector<wide>& values() const { return m_values; }

private:
  bool find(std::size_t depth, wide low, wide high) {
    if (m_left == 0) return false;
    --m_left;
    if (low > m_rest[depth].second || high < m_rest[depth].first) return false;
    if (depth == m_order.size()) return low <= 0 && 0 <= high && m_accept(m_values);
    const digit& d = m_digits[m_order[depth]];
    wide first = d.least, last = d.most;
    if (d.coefficient != 0) {
      // What the remaining digits can't make up for is out of the question.
      wide from = low - m_rest[depth + 1].second, to = high - m_rest[depth + 1].first;
      if (d.coefficient < 0) std::swap(from, to);
      first = std::max(first, ceil_div(from, d.coefficient));
      last = std::min(last, floor_div(to, d.coefficient));
    } else if (last - first > 2) {
      // Any value does: nought, and one that is not.
      m_skipped |= m_filters;
      m_values[m_order[depth]] = first <= 0 && 0 <= last ? 0 : first;
      if (find(depth + 1, low, high)) return true;
      m_values[m_order[depth]] = last != 0 ? last : first;
      return find(depth + 1, low, high);
    }
    for (wide value = first; value <= last && m_left != 0; ++value) {
      m_values[m_order[depth]] = value;
      if (find(depth + 1, low - d.coefficient * value, high - d.coefficient * value)) return true;
    }
    return false;
  }

  std::vector<digit> m_digits;
  bool m_filters, m_skipped = false, m_empty = false;
  wide m_fixed = 0;
  Accept m_accept;
  std::vector<wide> m_values;
  std::vector<std::size_t> m_order;
  std::vector<std::pair<wide, wide>> m_rest;
  unsigned m_left = 0;
};

bool has_groups(const fusion_range& range) { return range.local[0] != 0; }

// Digits of a work-item: 0-2 global position or group, 3-5 local, 6-8 turns of loops.
constexpr unsigned id_digits = 6, all_digits = id_digits + loop_depth;

/// A form over independent digits.
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

std::uint64_t linear_id(const fusion_range& range, const wide* digits) {
  wide result = 0;
  for (unsigned d = 0; d < 3; ++d) {
    const wide at = has_groups(range) ? digits[d] * static_cast<wide>(range.local[d]) + digits[3 + d] : digits[d];
    result = result * static_cast<wide>(range.global[d]) + at;
  }
  return static_cast<std::uint64_t>(result);
}

/// Where an access goes: the values its digits can take, its bytes, and the guards that are more than bounds of a
/// digit.
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

/// The search both forms of a conflict share. `differs` tells, for digits [from, to), whether two work-items are meant;
/// `place` gives the digits of both.
template <class Differs, class Place>
conflict search_conflict(const fusion_range& range, const std::vector<digit>& digits, bool filters, wide low, wide high,
                         Differs differs, Place place) {
  conflict result;
  auto report = [&](const std::vector<wide>& values) {
    wide x[id_digits], y[id_digits];
    for (unsigned i = 0; i < id_digits; ++i) place(values, i, x[i], y[i]);
    result.item = linear_id(range, x);
    result.other = linear_id(range, y);
  };
  digit_search items(digits, filters, [&](const std::vector<wide>& values) { return differs(values, id_digits); });
  result.free = items.run(low, high);
  if (result.free == verdict::disproved) report(items.values());
  if (!has_groups(range) || result.free == verdict::proved) {
    result.within_group = result.free;
    return result;
  }
  // The first three digits are the group's.
  digit_search groups(digits, filters, [&](const std::vector<wide>& values) { return differs(values, 3); });
  result.within_group = groups.run(low, high);
  if (result.within_group == verdict::disproved) {
    result.free = verdict::disproved;
    report(groups.values());
  }
  return result;
}

/// Both accesses move alike with the ids: only differences of digits matter. Guards are left out.
conflict equal_coefficients(const fusion_range& range, const memory_access& first, const placed& a,
                            const memory_access& second, const placed& b) {
  std::vector<digit> digits;
  for (unsigned i = 0; i < id_digits; ++i) {
    const wide most = count_of(range, first, i) - 1;
    digits.push_back({a.form.coefficients[i], -most, most});
  }
  for (unsigned i = id_digits; i < all_digits; ++i) {
    const wide most_a = count_of(range, first, i) - 1, most_b = count_of(range, second, i) - 1;
    const wide c = a.form.coefficients[i], other = b.form.coefficients[i];
    if (c == other) {
      digits.push_back({c, -most_b, most_a});
    } else {
      digits.push_back({c, 0, most_a});
      digits.push_back({-other, 0, most_b});
    }
  }
  const wide delta = a.form.constant - b.form.constant;
  return search_conflict(
      range, digits, false, -a.bytes + 1 - delta, b.bytes - 1 - delta,
      [](const std::vector<wide>& values, unsigned count) {
        return std::any_of(values.begin(), values.begin() + count, [](wide v) { return v != 0; });
      },
      [](const std::vector<wide>& values, unsigned i, wide& x, wide& y) {
        // x - y = value, both inside the box.
        x = std::max<wide>(0, values[i]);
        y = x - values[i];
      });
}

conflict all_pairs(const fusion_range& range, const placed& a, const placed& b) {
  std::vector<digit> digits;
  for (unsigned i = 0; i < all_digits; ++i) digits.push_back({a.form.coefficients[i], a.least[i], a.most[i]});
  for (unsigned i = 0; i < all_digits; ++i) digits.push_back({-b.form.coefficients[i], b.least[i], b.most[i]});
  const wide delta = a.form.constant - b.form.constant;
  auto hold = [](const std::vector<digit_form>& guards, const wide* values) {
    return std::all_of(guards.begin(), guards.end(), [&](const digit_form& guard) { return guard.value(values) >= 0; });
  };
  const bool filters = !a.guards.empty() || !b.guards.empty();
  return search_conflict(
      range, digits, filters, -a.bytes + 1 - delta, b.bytes - 1 - delta,
      [&](const std::vector<wide>& values, unsigned count) {
        return !std::equal(values.begin(), values.begin() + count, values.begin() + all_digits) &&
               hold(a.guards, values.data()) && hold(b.guards, values.data() + all_digits);
      },
      [](const std::vector<wide>& values, unsigned i, wide& x, wide& y) {
        x = values[i];
        y = values[all_digits + i];
      });
}

}  // namespace

conflict find_conflict(const fusion_range& range, const memory_access& a, std::int64_t base_a, const memory_access& b,
                       std::int64_t base_b) {
  const placed first(range, a, base_a), second(range, b, base_b);
  if (first.never || second.never) return {};
  conflict without_guards{verdict::unknown, verdict::unknown, 0, 0};
  if (std::equal(first.form.coefficients, first.form.coefficients + id_digits, second.form.coefficients)) {
    without_guards = equal_coefficients(range, a, first, b, second);
    if (without_guards.free == verdict::proved || (a.guards.empty() && b.guards.empty())) return without_guards;
  }
  conflict result = all_pairs(range, first, second);
  // Guards take accesses away, so what is proved without them is proved.
  if (without_guards.within_group == verdict::proved) result.within_group = verdict::proved;
  return result;
}

namespace {

// Work-items that are tried: the first, the last, and some in between.
constexpr std::uint64_t witness_run = 64;

std::uint64_t size_of(const fusion_range& range) { return range.global[0] * range.global[1] * range.global[2]; }

bool rests_on_ids_alone(const affine_form& form) {
  return std::all_of(form.coefficients.begin() + variable_local, form.coefficients.end(), [](auto each) { return each == 0; });
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

/// The work-item whose access begins at the address, if the form counts as positional numbers do; else any.
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

}  // namespace

bool find_witness(const ranged_access& a, const ranged_access& b, conflict& found) {
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
    if (!meet || item == other || !happens(a, item)) continue;
    found = {verdict::disproved, verdict::unknown, item, other};
    return true;
  }
  return false;
}

}  // namespace sinter::passes
