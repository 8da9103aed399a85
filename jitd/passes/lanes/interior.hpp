#pragma once
/// Makes a form for work-items that are away from all borders. Kernels over images and grids test for each position
/// whether it lies at a border, and clamp it. For nearly all vectors of work-items, the test has one result in all
/// lanes, which is known beforehand.
///
/// Input: a work-item function after prepare_for_lanes.
/// Output: a copy of the function, and its condition. In the copy, positions are far from the numbers with which they
///   are compared. They are also far from places where i & m jumps for an unknown m (lane_promises.hpp). The condition
///   is a function with the parameters of lane 0. It returns whether all lanes are at such positions; if not, the
///   original function has to run. Borders are computed from arguments, and from values that a work-item kept across a
///   barrier and reads first.

#include "lane_shapes.hpp"
#include "llvm/IR/Function.h"

namespace sinter::passes {

struct interior {
  llvm::Function* function = nullptr;   ///< null if nothing is compared with a position
  llvm::Function* condition = nullptr;  ///< returns i1
  /// The original function clamps positions, or cuts them by masks that are not constant.
  bool unclamps = false;
  bool in_loops = false;  ///< positions depend on loops, so the condition is long until it is simplified
};

/// Makes the copy and its condition. Their code is not simplified.
interior find_interior(llvm::Function& prepared, lane_facts facts);

/// The number of the condition's instructions that each vector runs. Values that are equal in a row do not count,
/// because they are computed in front of the row.
unsigned cost_of_condition(const interior& inside);

/// Makes a function with the parameters of `inside` that calls `inside` if the condition holds, and `outside`
/// otherwise. A wide `outside` is called once, a scalar one for each lane. Afterwards `inside`, the condition and a
/// wide `outside` no longer exist.
llvm::Function* join_interior(const interior& inside, llvm::Function& outside, bool outside_is_wide, unsigned lanes);

} // namespace sinter::passes
