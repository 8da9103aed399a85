#pragma once
/// Copies a work-item function for vectors that are away from all borders. Kernels over images and grids test for each
/// position whether it lies at a border, and clamp positions that do. Nearly all vectors are away from the borders. For
/// these vectors, the result of the test is known beforehand.
///
/// Input: a work-item function after prepare_for_lanes.
/// Output: a copy of the function, and its condition. In the copy, positions are far from the numbers with which they
///   are compared. Let i be a position, and m an unknown number. The copy may assume that i & m counts up from lane to
///   lane, or is equal in all lanes (lane_promises.hpp). The condition is a function with the same parameters, which
///   have lane 0's values. The condition returns whether the copy is right for all lanes. If it is not, the original
///   function has to run. Borders are computed from arguments, and from values that were kept across a barrier and that
///   the work-item loads at its beginning.

#include "lane_shapes.hpp"
#include "llvm/IR/Function.h"

namespace sinter::passes {

struct interior {
  llvm::Function* function = nullptr;   ///< null if nothing is compared with a position
  llvm::Function* condition = nullptr;  ///< returns i1
  /// Whether the original function clamps positions, or masks them by numbers that are not constant.
  bool unclamps = false;
  bool in_loops = false;  ///< whether positions depend on loops; if so, the condition is long until it is simplified
};

/// Makes the copy and its condition. The code of the copy and of the condition is not simplified.
interior find_interior(llvm::Function& prepared, lane_facts facts);

/// The number of the condition's instructions that each vector runs. Instructions for values that are equal in a row do
/// not count, because they run once, before the row.
unsigned cost_of_condition(const interior& inside);

/// Makes a function with the parameters of `inside` that calls `inside` if the condition holds, and `outside`
/// otherwise. A wide `outside` is called once, and a scalar `outside` is called for each lane. Afterwards `inside`, the
/// condition and a wide `outside` no longer exist.
llvm::Function* join_interior(const interior& inside, llvm::Function& outside, bool outside_is_wide, unsigned lanes);

} // namespace sinter::passes
