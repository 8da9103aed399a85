#pragma once
/// Rules by which the random stencils handle indices outside of an image.

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace e2e {

/// `mirrored` and `folded` indices turn around at the border and continue inwards; `folded` reads the border's
/// element twice. Indices of the last three kinds continue at the opposite border.
enum class border { clamped, guarded, minimum, mirrored, folded, remainder, wrapped, masked };
constexpr int border_kinds = 8;

/// Computes the index at distance `by` from i in a range of n, in the spelling that programs use for this rule. If
/// the range is shorter than the distance, the index stays at a border. Returns false if the rule gives no
/// element.
inline bool move(border rule, std::size_t i, int by, std::size_t n, std::size_t& at) {
  const int last = static_cast<int>(n) - 1, size = static_cast<int>(n);
  const auto inside = [&](int there) { return static_cast<std::size_t>(there < 0 ? 0 : there > last ? last : there); };
  int there = static_cast<int>(i) + by;
  switch (rule) {
    case border::clamped: at = inside(there); return true;
    case border::minimum:
      at = by < 0 ? (i < static_cast<std::size_t>(-by) ? 0 : i - static_cast<std::size_t>(-by))
                  : std::min(i + static_cast<std::size_t>(by), n - 1);
      return true;
    case border::mirrored:
      there = std::abs(there);
      if (there >= size) there = 2 * size - 2 - there;
      at = inside(there);
      return true;
    case border::folded:
      if (there < 0) there = -there - 1;
      if (there >= size) there = 2 * size - 1 - there;
      at = inside(there);
      return true;
    case border::remainder: at = (i + n * 4 + static_cast<std::size_t>(by + 4) - 4) % n; return true;
    case border::wrapped:
      if (there < 0) there += size;
      if (there >= size) there -= size;
      at = inside(there);
      return true;
    case border::masked: at = (n & (n - 1)) == 0 ? static_cast<std::size_t>(there & last) : inside(there); return true;
    default: at = static_cast<std::size_t>(there); return there >= 0 && there < size;
  }
}

}  // namespace e2e
