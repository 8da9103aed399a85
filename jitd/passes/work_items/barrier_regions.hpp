#pragma once
/// Cuts a work-item function at its barriers.
///
/// Input: a work-item function (work_item_function.hpp) whose barriers are direct calls of __sinter_barrier, reached by
/// all work-items of a group or by none. Any control flow may be around them: loops, branches, several barriers per
/// loop, early exits.
/// Output: one function per region, region 0 from the start, region k from behind barrier k, each with the parameters
///   of the work-item function. A region returns the number of the barrier it stopped at, or 0 when the work-item is
///   done. Values that live across a barrier are kept in parameter_context. Slot s of work-item i is at offset[s] * n +
///   i
/// * size[s], where n is the number of work-items, or a few more. On request, private arrays that are accessed by
/// elements (element_arrays.hpp) lie there element by element: element e at (offset[s] + e * bytes) * n + i * bytes.
/// Values that are the same for all work-items of a group are kept once, in front of the slots: regions read them from
/// the first `uniform_bytes` and write them to the next `uniform_bytes`; the code that runs the regions copies these
/// bytes back between two regions. A loop's value and its value in the next iteration share a slot if they can. A
/// region writes only the values that it changes. Cheap expressions of arguments are computed again and not kept. The
/// work-item function itself is no longer meaningful. If very many barriers may be skipped, each region would contain
/// most of the kernel's code. In such kernels, regions also end where the ways around barriers meet. On request,
/// regions also end at barriers of sub-groups (sub_groups.hpp): all work-items of a sub-group stop there or none, and
/// other sub-groups may stop elsewhere. Otherwise those calls stay, for the vectorizer.

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
  std::uint64_t item_bytes = 0;             ///< bytes of each work-item's own part of the context
  std::uint64_t context_alignment = 64;     ///< alignment of the context in bytes
  std::vector<bool> within_sub_group{};     ///< for each region, whether a barrier of sub-groups is in front of it
};

struct split_request {
  /// Whether a value is the same for all work-items of a group; null if this is unknown.
  uniform_values is_uniform = nullptr;
  bool cut_sub_groups = false;
  /// Whether either all work-items of a group run a block or none does. Null if this is not known.
  std::function<bool(const llvm::BasicBlock&)> is_common = nullptr;
  bool spread_arrays = false;  ///< whether arrays lie element by element, which helps if regions become vectors
};
barrier_regions split_at_barriers(llvm::Function& work_item, const split_request& request = {});

} // namespace sinter::passes
