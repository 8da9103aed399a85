#pragma once
/// Whether two images that lie in one memory share a byte. Plain numbers.

#include <cstdint>

#include "stencil_accesses.hpp"

namespace sinter::passes {

/// Ids from `first` to in front of `end`, per dimension.
struct id_box {
  std::int64_t first[3] = {0, 0, 0}, end[3] = {1, 1, 1};
};

/// True if the elements of one box in its layout and those of the other in its are proved to share no byte. Layouts
/// have equal steps. Images may lie one behind the other, or their rows in turns, or side by side.
bool are_apart(const element_layout& a, const id_box& in_a, const element_layout& b, const id_box& in_b);

}  // namespace sinter::passes
