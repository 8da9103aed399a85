#pragma once
/// Decides whether members that read each other's results around their work-items become one kernel by tiles, and how.
///
/// Input: copies of the members of a list, each `void(ptr block)` with device calls inlined and its accesses
///   summarised; the numbers they are launched with.
/// Output: the copies, rewritten for this launch as stages, with a place for each access; or the reason why they can't
/// be.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "passes/fusion/fusion_decision.hpp"
#include "stencil_accesses.hpp"
#include "tile_plan.hpp"

namespace sinter::passes {

struct stencil_member {
  llvm::Function* kernel;
  /// Bytes of its argument block that are known, and other bytes from which the kernel's indices are computed. A cache
  /// compares them before it uses the code again.
  std::function<std::vector<argument_bytes>(const llvm::Function& kernel)> known;
  /// It is a reduction that visits the elements of its range in so many runs; 0: it has a work-item for each.
  std::uint64_t runs = 0;
};

/// An access of a stage: to the buffer of a result, to memory, or both.
struct placed_access {
  stencil_access access;
  unsigned memory = 0;    ///< the memory that it names: a buffer, or one of several images in it
  int buffer = -1;        ///< result
  bool in_memory = true;  ///< writes: of the tile that owns the work-item alone
};

struct stencil_fusion {
  std::string refused;
  std::string no_rows;        ///< the member for which rows are no loops of vectors, and why
  bool reads_around = false;  ///< a stage reads, or may read, what another work-item of an earlier one wrote
  struct stage_code {
    llvm::Function* kernel;
    fusion_range range;
    std::vector<placed_access> accesses;
    inner_ids inner[3] = {};  ///< where rows are loops, and on GPUs
    bool visits = false;      ///< accesses and their parts are those between the marks of a visit (run_function.hpp)
  };
  std::vector<stage_code> stages;  ///< one for each member
  /// The one write to memory, of more than the caches hold, which may go past them: a work-item writes its element,
  /// which is `base` bytes and its steps in the layout from the pointer.
  struct stream {
    unsigned stage;
    std::size_t access;
    std::int64_t base;
    element_layout layout;
  };
  std::optional<stream> past_caches;
  tile_request request;
  tile_plan plan;
  std::vector<element_layout> layouts;  ///< of each result
  report_statements notes;              ///< what tiles do, for the report
  std::uint64_t saved_bytes = 0;        ///< of memory traffic per launch
};

/// The machine that tiles are planned for.
struct tile_machine {
  unsigned threads = 1;
  std::uint64_t cache_bytes = 0;       ///< of the last level
  std::uint64_t core_cache_bytes = 0;  ///< of the level in front of it
  bool in_groups = false;              ///< a GPU: tiles are shared by the work-items of a group, and may take
  std::uint64_t group_bytes = 0;       ///< local memory
  std::int64_t most_items = 0;         ///< work-items
};

/// `last_runs_behind`: the last member is no stage. It runs behind the tiles, in a launch of its own, before anybody
/// else looks at the memory that it overwrites: what it overwrites and does not read is not written by tiles.
stencil_fusion plan_stencils(const std::vector<stencil_member>& members, const decision_request& request,
                             const tile_machine& machine, bool last_runs_behind = false);

/// Local range of the kernel that the plan describes, and its groups.
fusion_range range_of_tiles(const tile_plan& plan);

}  // namespace sinter::passes
