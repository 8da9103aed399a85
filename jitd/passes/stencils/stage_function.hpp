#pragma once
/// One stage of a tile as a function of its work-item's ids, for all work-items or for those away from borders.
///
/// Input: the stage's kernel, which stays as it is, and where its accesses go.
/// Output: void(ptr block, i64 id[3], ptr local, ptr values, i64 first row along `middle` of its buffers, i64 first
///   lane, i1 its tile owns it, ptr where what goes past the caches waits), whose accesses of results go to their
///   buffers. `values` are results that the same work-item reads again, in the same pass.

#include <optional>
#include <string>

#include "stencil_fusion.hpp"

namespace sinter::passes {

/// Its parameters.
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

/// Ids of each dimension that are away from borders: all ids if nothing is known about the dimension's borders.
struct inside_ids {
  id_span ids[3];
  bool of_rows = false;  ///< not only along the lanes
};

/// "" if LLVM's loop vectorizer takes work-items of a row as the turns of a loop, and they do what they do alone; else
/// what they have that is in the way.
std::string why_no_plain_row(const llvm::Function& kernel);

/// With `inside`, it is for work-items there, its accesses are of `access_group`, and what goes past the caches is
/// written to where it waits.
llvm::Function* make_stage_function(const stencil_fusion& stencils, std::size_t index,
                                    const std::optional<inside_ids>& inside = {}, llvm::MDNode* access_group = nullptr);

/// Asks for the memory that the stage reads and that nobody has read for the row before, one row ahead: each row begins
/// elsewhere, where the processor does not expect it.
struct rows_ahead {
  llvm::Function* function = nullptr;  ///< as a stage's; null: there is nothing to ask for, or nobody knows where
  std::int64_t lanes = 0;              ///< for which one call is enough
};
rows_ahead make_rows_ahead(const stencil_fusion& stencils, std::size_t index, const inside_ids& inside);

}  // namespace sinter::passes
