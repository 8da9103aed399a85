#pragma once
/// Work-items away from all borders. Kernels over images and grids ask of each position whether it lies at a border,
/// and clamp it. For nearly all vectors of work-items, the answer is equal in all lanes and known beforehand.
///
/// Input: a work-item function as prepare_for_lanes leaves it.
/// Output: a copy in which positions are far from what they are compared with, and from where i & m jumps for an m that
///   is not known before (lane_promises.hpp); and its condition: a function of the same parameters, those of lane 0,
///   that says whether that is true of all lanes. User code is right whether the condition holds or not: where it does
///   not hold, the function itself has to run. Borders are computed of arguments, and of what a work-item reads in
///   front of all else: values that it kept across a barrier.

#include "lane_shapes.hpp"
#include "llvm/IR/Function.h"

namespace sinter::passes {

struct interior {
  llvm::Function* function = nullptr;   ///< null: nothing is compared with a position
  llvm::Function* condition = nullptr;  ///< i1
  bool unclamps = false;                ///< positions are clamped otherwise, or cut by masks that are not constant
  bool in_loops = false;                ///< positions are those of loops: the condition is long before it is simplified
};

/// The result is not simplified.
interior find_interior(llvm::Function& prepared, lane_facts facts);

/// Instructions of the condition that each vector runs; values that are equal in a row are computed in front of it.
unsigned cost_of_condition(const interior& inside);

/// A function with the parameters of `inside` that runs it where the condition holds, and `outside` elsewhere: once
/// when it is a wide form too, else for each lane. `inside` and the condition are used up, `outside` when it is wide.
llvm::Function* join_interior(const interior& inside, llvm::Function& outside, bool outside_is_wide, unsigned lanes);

} // namespace sinter::passes
