#pragma once
/// Makes a function that runs one stage for one work-item, given the work-item's ids. The function is for all
/// work-items, or only for work-items away from borders.
///
/// Input: the stage's kernel, which does not change, and the buffers or memory for each access.
/// Output: void(ptr block, i64 id[3], ptr local, ptr values, i64 the tile's first row along `middle`, i64 the lane of
///   the buffers' first column, i1 whether the tile owns the work-item, ptr chunk for stores that bypass the caches).
///   Accesses to results go to the results' buffers. `values` points to results of earlier stages that the same
///   work-item reads while the stages run one after the other.

#include <optional>
#include <string>

#include "stencil_fusion.hpp"

namespace sinter::passes {

/// Numbers of the function's parameters.
enum stage_parameter : unsigned {
  of_block,
  of_id,
  of_local = of_id + 3,
  of_values,
  of_middle,
  of_lanes,
  of_owner,
  of_stream
};

/// For each dimension, a span of ids: the ids that are away from borders. If nothing is known about the dimension's
/// borders, the span has all ids.
struct inside_ids {
  id_span ids[3];
  bool of_rows = false;  ///< whether a work-item is inside only if its ids in the other dimensions are inside, too
};

/// Returns "" if LLVM's loop vectorizer can vectorize a loop over the work-items of a row, with unchanged results.
/// Otherwise returns the part of the kernel that prevents vectors.
std::string why_no_plain_row(const llvm::Function& kernel);

/// With `inside`, the function is for work-items with these ids only, and its accesses belong to `access_group`. If
/// elements bypass the caches, the function stores them to the chunk.
llvm::Function* make_stage_function(const stencil_fusion& stencils, std::size_t index,
                                    const std::optional<inside_ids>& inside = {}, llvm::MDNode* access_group = nullptr);

/// Prefetches the memory that the stage will read for the next row, except the memory that it has already read for this
/// row. The processor does not prefetch this memory, because each row begins at an unrelated address.
struct rows_ahead {
  llvm::Function* function = nullptr;  ///< has the type of a stage function; null if the pass knows no address to
                                       ///< prefetch
  std::int64_t lanes = 0;              ///< one call of the function prefetches for this number of lanes
};
rows_ahead make_rows_ahead(const stencil_fusion& stencils, std::size_t index, const inside_ids& inside);

}  // namespace sinter::passes
