/// Values that depend on an id are described by pieces (linear functions of the id). The tests compute the values
/// for each id, and each value has to be in one of the pieces.

#include <doctest/doctest.h>

#include <algorithm>
#include <passes/stencils/id_pieces.hpp>
#include <string>
#include <vector>

#include "../sanitized.hpp"
#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;

/// A random expression of the id, its pieces, and its values.
struct expression {
  id_pieces pieces;
  std::vector<wide_number> values;  ///< for consecutive ids from `first` on
  std::string text;
};

class expressions {
public:
  explicit expressions(generator& random) : m_random(random) {
    m_first = random.between(0, 4);
    m_count = random.pick<std::int64_t>({1, 2, 3, 7, 16, 33});
  }

  expression make(unsigned depth) {
    if (depth == 0 || m_random.chance(15)) return m_random.chance(70) ? id() : number();
    const expression a = make(depth - 1);
    const wide_number n = m_random.between(1, 2 * static_cast<std::int64_t>(m_count));
    switch (m_random.below(9)) {
      case 0: return same(a, "-", product(a.pieces, -1), [](wide_number v) { return -v; });
      case 1:
        return same(a, "abs", chosen(is_negative(a.pieces), product(a.pieces, -1), a.pieces),
                    [](wide_number v) { return v < 0 ? -v : v; });
      case 2:
        return same(a, "mod", floor_remainder(a.pieces, n), [n](wide_number v) { return ((v % n) + n) % n; });
      case 3: return same(a, "%", signed_remainder(a.pieces, n), [n](wide_number v) { return v % n; });
      case 4:
        return same(a, "/", floor_quotient(a.pieces, n), [n](wide_number v) { return (v - (((v % n) + n) % n)) / n; });
      case 5:
        for (const wide_number value : a.values) {
          if (value < -1000 || value > 1000) return a;
        }
        return same(a, "unsigned", as_unsigned(a.pieces, 32),
                    [](wide_number v) { return v < 0 ? v + (wide_number{1} << 32) : v; });
      case 6: {
        const expression b = make(depth - 1);
        return both(a, b, "+", sum(a.pieces, b.pieces), [](wide_number v, wide_number w) { return v + w; });
      }
      case 7: {
        const expression b = make(depth - 1);
        const id_truths less = is_negative(sum(a.pieces, product(b.pieces, -1)));
        return both(a, b, "min", chosen(less, a.pieces, b.pieces),
                    [](wide_number v, wide_number w) { return std::min(v, w); });
      }
      default: {
        // The expression is the first value if it is between 0 and n, and the second value otherwise.
        const expression b = make(depth - 1);
        const id_truths below = is_negative(sum(a.pieces, {{ids(), 0, {-n, -n}}}));
        const id_truths inside = both_hold(negated(is_negative(a.pieces)), below);
        return both(a, b, "in", chosen(inside, a.pieces, b.pieces),
                    [n](wide_number v, wide_number w) { return v >= 0 && v < n ? v : w; });
      }
    }
  }

  interval ids() const { return {m_first, m_first + m_count - 1}; }

  /// Whether, for each id, one of the pieces contains the value.
  bool holds(const expression& e) const {
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      const wide_number at = m_first + static_cast<wide_number>(i), value = e.values[i];
      const bool known = std::any_of(e.pieces.begin(), e.pieces.end(), [&](const id_piece& piece) {
        const wide_number rest = value - piece.slope * at;
        return piece.ids.low <= at && at <= piece.ids.high && piece.rest.low <= rest && rest <= piece.rest.high;
      });
      const interval far = distance_from_id(e.pieces), all = numbers_in(e.pieces);
      if (!known || value - at < far.low || value - at > far.high || value < all.low || value > all.high) return false;
    }
    return true;
  }

  /// Whether each piece gives exactly one value for each id.
  bool is_exact(const expression& e) const {
    return std::all_of(e.pieces.begin(), e.pieces.end(),
                       [](const id_piece& piece) { return piece.rest.low == piece.rest.high; });
  }

private:
  expression id() const {
    expression e{{{ids(), 1, {0, 0}}}, {}, "i"};
    for (std::int64_t i = 0; i < m_count; ++i) e.values.push_back(m_first + i);
    return e;
  }
  expression number() {
    const wide_number n = m_random.between(-3, 20);
    return {{{ids(), 0, {n, n}}}, std::vector<wide_number>(static_cast<std::size_t>(m_count), n), "n"};
  }
  template <class Function>
  expression same(const expression& a, const char* name, id_pieces pieces, Function function) const {
    expression e{std::move(pieces), {}, std::string(name) + "(" + a.text + ")"};
    for (const wide_number value : a.values) e.values.push_back(function(value));
    return e;
  }
  template <class Function>
  expression both(const expression& a, const expression& b, const char* name, id_pieces pieces,
                  Function function) const {
    expression e{std::move(pieces), {}, std::string(name) + "(" + a.text + ", " + b.text + ")"};
    for (std::size_t i = 0; i < a.values.size(); ++i) e.values.push_back(function(a.values[i], b.values[i]));
    return e;
  }

  generator& m_random;
  std::int64_t m_first, m_count;
};

}  // namespace

TEST_CASE("values of each id lie in their pieces") {
  constexpr unsigned cases = sinter::test::cases_of(20'000);
  generator random(20261128);
  unsigned exact = 0;
  for (unsigned i = 0; i < cases; ++i) {
    expressions make(random);
    const expression e = make.make(1 + static_cast<unsigned>(random.below(4)));
    REQUIRE_MESSAGE(make.holds(e), "case " << i << ": " << e.text);
    exact += make.is_exact(e);
  }
  // Pieces without bounds would never be wrong, so the test also requires that most pieces are exact.
  CHECK(exact > cases * 8 / 10);
}

TEST_CASE("mirrored borders reach as far as the window, periodic ones over the whole range") {
  const interval ids{0, 99};
  const auto at = [&](wide_number by) { return id_pieces{{ids, 1, {by, by}}}; };
  const auto mirrored = [&](wide_number by) {
    const id_pieces low = chosen(is_negative(at(by)), product(at(by), -1), at(by));
    const id_pieces over = sum({{ids, 0, {99, 99}}}, product(low, -1));
    return chosen(is_negative(over), sum({{ids, 0, {198, 198}}}, product(low, -1)), low);
  };
  CHECK(distance_from_id(mirrored(-3)) == interval{-3, 3});
  CHECK(distance_from_id(mirrored(2)) == interval{-2, 2});
  CHECK(numbers_in(mirrored(2)) == interval{2, 99});
  CHECK(distance_from_id(floor_remainder(at(-1), 100)) == interval{-1, 99});
  CHECK(numbers_in(floor_remainder(at(-1), 100)) == interval{0, 99});
}
