#pragma once
/// Finds out whether two images in one allocation share a byte. The code works on plain numbers, without LLVM.

#include <cstdint>

#include "stencil_accesses.hpp"

namespace sinter::passes {

/// A box of ids: [first, end) in each dimension.
struct id_box {
  std::int64_t first[3] = {0, 0, 0}, end[3] = {1, 1, 1};
};

/// Returns true if the elements of `in_a` in layout `a` provably share no byte with the elements of `in_b` in layout
/// `b`. Both layouts have equal steps. Images may lie one behind the other or side by side, and their rows may
/// alternate.
bool are_apart(const element_layout& a, const id_box& in_a, const element_layout& b, const id_box& in_b);

}  // namespace sinter::passes
