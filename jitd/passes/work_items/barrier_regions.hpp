#pragma once
/// Cuts a work-item function at its barriers.
///
/// Input: a work-item function (work_item_function.hpp) whose barriers are direct calls of __sinter_barrier. Either all
///   work-items of a group reach a barrier, or none does. Any control flow may be around barriers: loops, branches,
///   several barriers in a loop, early exits.
/// Output: one function per region, with the parameters of the work-item function. Region 0 begins at the start, and
///   region k begins behind barrier k. A region returns the number of the barrier at which it stopped, or 0 if the
///   work-item is done. The work-item function itself must no longer be used.
///
/// Values that live across a barrier are kept in parameter_context. Slot s of work-item i is at offset[s] * n + i *
/// size[s], where n is the number of work-items, or a few more. On request, private arrays that are accessed by
/// elements (element_arrays.hpp) lie in parameter_context element by element: element e is at (offset[s] + e * bytes) *
/// n + i * bytes, where an element has `bytes` bytes.
///
/// Values that are the same for all work-items of a group are kept once, in front of the slots. Regions read the values
/// from the first `uniform_bytes` and write new values to the next `uniform_bytes`. Between two regions, the code that
/// runs the regions copies the new values to the first `uniform_bytes`. A loop's phi and the value that the phi takes
/// in the next iteration share a slot if possible. A region writes only the values that it changes. Cheap expressions
/// of arguments are computed again instead of being kept.
///
/// If a kernel can skip very many barriers, regions also end where a path around a barrier joins the path through the
/// barrier. Otherwise each region would contain most of the kernel's code.
///
/// On request, regions also end at barriers of sub-groups (sub_groups.hpp). Then either all work-items of a sub-group
/// stop at such a barrier or none does, and other sub-groups may stop at other barriers. Without this request, calls of
/// sub-group functions stay in the code, and the vectorizer handles them.

#include <cstdint>
#include <functional>
#include <vector>

#include "llvm/IR/Function.h"
#include "passes/device/element_arrays.hpp"

namespace sinter::passes {

/// A value that is kept once for all work-items.
struct kept_once {
  std::uint64_t offset;  ///< bytes from the start of each half of the uniform bytes
  llvm::Type* type;
};

struct barrier_regions {
  std::vector<llvm::Function*> regions;     ///< empty if the function has no barrier
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t uniform_bytes = 0;
  std::vector<kept_once> uniform_values{};  ///< the values in the uniform bytes
  std::uint64_t item_bytes = 0;             ///< bytes of the context for each work-item
  std::uint64_t context_alignment = 64;     ///< alignment of the context in bytes
  bool goes_down_rows = false;              ///< whether barriers are in loops that go from row to row of memory
  std::vector<bool> within_sub_group{};     ///< for each region, whether a barrier of sub-groups is in front of it
};

struct split_request {
  /// Whether a value is the same for all work-items of a group; null if this is unknown.
  uniform_values is_uniform = nullptr;
  bool cut_sub_groups = false;
  /// Whether the work-items of a group run a block all together or not at all. Null if this is not known.
  std::function<bool(const llvm::BasicBlock&)> is_common = nullptr;
  bool spread_arrays = false;  ///< whether private arrays lie element by element, which helps vectorized regions
};
barrier_regions split_at_barriers(llvm::Function& work_item, const split_request& request = {});

} // namespace sinter::passes
