#include "id_pieces.hpp"

#include <algorithm>

namespace sinter::passes {
namespace {

// The limit for the number of pieces. Borders, and windows that cross several periods, need fewer pieces.
constexpr std::size_t most_pieces = 32;
constexpr wide_number most_periods = 4;

wide_number floored(wide_number a, wide_number b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The ids for which slope * id + rest is at least zero.
interval ids_not_negative(const interval& ids, wide_number slope, wide_number rest) {
  if (slope == 0) return rest >= 0 ? ids : interval{1, 0};
  if (slope > 0) return {std::max(ids.low, -floored(rest, slope)), ids.high};
  return {ids.low, std::min(ids.high, floored(rest, -slope))};
}

/// The ids for which the piece's value may lie in `numbers`.
interval ids_within(const id_piece& piece, const interval& numbers) {
  const interval above = ids_not_negative(piece.ids, piece.slope, piece.rest.high - numbers.low);
  return ids_not_negative(above, -piece.slope, numbers.high - piece.rest.low);
}

void add(id_pieces& to, const interval& ids, wide_number slope, const interval& rest) {
  if (!ids.empty() && !rest.empty()) to.push_back({ids, slope, rest});
}

}  // namespace

interval united(const interval& a, const interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
interval common(const interval& a, const interval& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
interval sum(const interval& a, const interval& b) { return {a.low + b.low, a.high + b.high}; }
interval product(const interval& a, wide_number factor) {
  const wide_number one = a.low * factor, other = a.high * factor;
  return {std::min(one, other), std::max(one, other)};
}

id_pieces simplified(id_pieces pieces) {
  if (pieces.size() <= most_pieces) return pieces;
  interval ids = pieces.front().ids;
  for (const id_piece& each : pieces) ids = united(ids, each.ids);
  return {{ids, 0, numbers_in(pieces)}};
}

id_pieces sum(const id_pieces& a, const id_pieces& b) {
  id_pieces result;
  for (const id_piece& one : a) {
    for (const id_piece& other : b)
      add(result, common(one.ids, other.ids), one.slope + other.slope, sum(one.rest, other.rest));
  }
  return simplified(std::move(result));
}

id_pieces product(const id_pieces& a, wide_number factor) {
  id_pieces result;
  for (const id_piece& each : a) add(result, each.ids, each.slope * factor, product(each.rest, factor));
  return result;
}

id_pieces limited(const id_pieces& a, const interval& numbers) {
  id_pieces result;
  for (const id_piece& each : a)
    add(result, ids_within(each, numbers), each.slope, each.slope == 0 ? common(each.rest, numbers) : each.rest);
  return result;
}

id_pieces as_unsigned(const id_pieces& a, unsigned bits) {
  const wide_number beyond = wide_number{1} << bits;
  const auto moved = [&](const id_piece& each) { return sum(id_pieces{each}, {{each.ids, 0, {beyond, beyond}}}); };
  id_pieces result;
  for (const id_piece& each : a) {
    const id_pieces parts = chosen(is_negative({each}), moved(each), {each});
    result.insert(result.end(), parts.begin(), parts.end());
  }
  return simplified(limited(result, {0, beyond - 1}));
}

id_pieces floor_quotient(const id_pieces& a, wide_number n) {
  id_pieces result;
  for (const id_piece& each : a) {
    const interval numbers = each.numbers();
    if (each.slope % n == 0) {
      add(result, each.ids, each.slope / n, {floored(each.rest.low, n), floored(each.rest.high, n)});
      continue;
    }
    const wide_number first = floored(numbers.low, n), last = floored(numbers.high, n);
    if (last - first >= most_periods || each.rest.low != each.rest.high) {
      add(result, each.ids, 0, {first, last});
      continue;
    }
    for (wide_number q = first; q <= last; ++q) add(result, ids_within(each, {q * n, q * n + n - 1}), 0, {q, q});
  }
  return simplified(std::move(result));
}

id_pieces floor_remainder(const id_pieces& a, wide_number n) {
  id_pieces result;
  for (const id_piece& each : a) {
    const interval numbers = each.numbers();
    const wide_number first = floored(numbers.low, n), last = floored(numbers.high, n);
    if (last - first >= most_periods || each.rest.low != each.rest.high) {
      const interval moved = sum(each.rest, {-first * n, -first * n});
      if (first == last) {
        add(result, each.ids, each.slope, moved);
      } else {
        add(result, each.ids, 0, {0, n - 1});
      }
      continue;
    }
    for (wide_number q = first; q <= last; ++q)
      add(result, ids_within(each, {q * n, q * n + n - 1}), each.slope, sum(each.rest, {-q * n, -q * n}));
  }
  return simplified(std::move(result));
}

id_pieces signed_remainder(const id_pieces& a, wide_number n) {
  return chosen(is_negative(a), product(floor_remainder(product(a, -1), n), -1), floor_remainder(a, n));
}

id_truths is_negative(const id_pieces& a) {
  id_truths result;
  for (const id_piece& each : a) {
    const interval fails = ids_not_negative(each.ids, each.slope, each.rest.low);        // for every rest
    const interval may_fail = ids_not_negative(each.ids, each.slope, each.rest.high);    // for some rest
    const interval holds = ids_not_negative(each.ids, -each.slope, -each.rest.high - 1);
    const interval may_hold = ids_not_negative(each.ids, -each.slope, -each.rest.low - 1);
    if (!fails.empty()) result.push_back({fails, false, true});
    if (!holds.empty()) result.push_back({holds, true, false});
    const interval either = common(may_fail, may_hold);
    if (!either.empty()) result.push_back({either, true, true});
  }
  return result;
}

id_truths negated(id_truths a) {
  for (id_truth& each : a) std::swap(each.may_hold, each.may_fail);
  return a;
}

id_truths both_hold(const id_truths& a, const id_truths& b) {
  id_truths result;
  for (const id_truth& one : a) {
    for (const id_truth& other : b) {
      const interval ids = common(one.ids, other.ids);
      if (!ids.empty()) result.push_back({ids, one.may_hold && other.may_hold, one.may_fail || other.may_fail});
    }
  }
  if (result.size() <= most_pieces) return result;
  interval ids = result.front().ids;
  for (const id_truth& each : result) ids = united(ids, each.ids);
  return {{ids, true, true}};
}

id_pieces chosen(const id_truths& condition, const id_pieces& holds, const id_pieces& fails) {
  id_pieces result;
  for (const id_truth& each : condition) {
    if (each.may_hold) {
      for (const id_piece& one : holds) add(result, common(each.ids, one.ids), one.slope, one.rest);
    }
    if (each.may_fail) {
      for (const id_piece& one : fails) add(result, common(each.ids, one.ids), one.slope, one.rest);
    }
  }
  return simplified(std::move(result));
}

interval numbers_in(const id_pieces& a) {
  interval all = a.front().numbers();
  for (const id_piece& each : a) all = united(all, each.numbers());
  return all;
}

interval distance_from_id(const id_pieces& a) {
  const auto of = [](const id_piece& each) { return id_piece{each.ids, each.slope - 1, each.rest}.numbers(); };
  interval all = of(a.front());
  for (const id_piece& each : a) all = united(all, of(each));
  return all;
}

}  // namespace sinter::passes
