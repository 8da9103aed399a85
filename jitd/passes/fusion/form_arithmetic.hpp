#pragma once
/// Computes sums and products of forms. If the constant or a coefficient of the result overflows, the result is empty.

#include <optional>

#include "access_form.hpp"

namespace sinter::passes {

using form = std::optional<affine_form>;

/// The most iterations of a loop. Longer loops would practically never end, and their counters do not fit forms.
inline constexpr std::int64_t most_turns = std::int64_t{1} << 40;

inline form number(std::int64_t value) {
  affine_form result;
  result.constant = value;
  return result;
}

inline form plus(const affine_form& a, const form& other) {
  if (!other) return std::nullopt;
  affine_form result = a;
  bool overflow = __builtin_add_overflow(a.constant, other->constant, &result.constant);
  for (unsigned i = 0; i < variable_count; ++i) {
    overflow |= __builtin_add_overflow(a.coefficients[i], other->coefficients[i], &result.coefficients[i]);
  }
  return overflow ? form() : result;
}

inline form times(const affine_form& a, std::int64_t factor) {
  affine_form result;
  bool overflow = __builtin_mul_overflow(a.constant, factor, &result.constant);
  for (unsigned i = 0; i < variable_count; ++i) {
    overflow |= __builtin_mul_overflow(a.coefficients[i], factor, &result.coefficients[i]);
  }
  return overflow ? form() : result;
}

inline form minus(const form& a, const form& b) { return a && b ? plus(*a, times(*b, -1)) : form(); }

/// Divides the form if constant and coefficients are multiples of the divisor.
inline form divided(const form& a, std::int64_t divisor) {
  if (!a || a->constant % divisor != 0) return std::nullopt;
  affine_form result;
  result.constant = a->constant / divisor;
  for (unsigned i = 0; i < variable_count; ++i) {
    if (a->coefficients[i] % divisor != 0) return std::nullopt;
    result.coefficients[i] = a->coefficients[i] / divisor;
  }
  return result;
}

inline bool is_number(const affine_form& a) { return a.coefficients == std::array<std::int64_t, variable_count>{}; }

inline __int128 floor_quotient(__int128 a, __int128 b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

}  // namespace sinter::passes
