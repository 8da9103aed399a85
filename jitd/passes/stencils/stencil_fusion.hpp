#pragma once
/// The members of a list may read results of earlier members at neighbouring positions. Decides whether such members
/// become one kernel that computes tiles, and plans this kernel.
///
/// Input: copies of the members of a list, and the numbers with which they are launched. Each copy is a `void(ptr
/// block)`. Device calls are inlined in it, and its accesses are summarised.
/// Output: the copies, rewritten for this launch as stages, with the buffer or memory of each access; or the reason why
///   tiles are not possible.

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
  /// Returns the bytes of the kernel's argument block that are known before the launch, including all bytes from which
  /// the kernel's indices are computed. A cache compares these bytes before it uses the code again.
  std::function<std::vector<argument_bytes>(const llvm::Function& kernel)> known;
  /// For a reduction whose work-items visit several consecutive elements of the range each: the number of these runs of
  /// elements. The number is 0 if each element has a work-item of its own.
  std::uint64_t runs = 0;
  bool left_groups = false;  ///< whether arithmetic with global ids replaces ids of work-groups (left_groups.hpp)
};

/// An access of a stage to the buffer of a result, to memory, or to both.
struct placed_access {
  stencil_access access;
  unsigned memory = 0;    ///< the memory that is accessed: a buffer, or one of several images in a buffer
  int buffer = -1;        ///< number of the result whose buffer is accessed, or -1
  bool in_memory = true;  ///< whether memory is accessed; if several tiles compute a work-item, only the tile that owns
                          ///< it writes to memory
  bool reads_outside = false;  ///< whether the member also reads elements that the writer does not write; these come
                               ///< from memory
};

struct stencil_fusion {
  std::string refused;
  std::string no_rows;        ///< a text with the reason why rows are not loops of vectors, and the name of the member
                              ///< that prevents this
  bool reads_around = false;  ///< whether a stage may read what another work-item of an earlier stage wrote
  struct stage_code {
    llvm::Function* kernel;
    fusion_range range;
    std::vector<placed_access> accesses;
    inner_ids inner[3] = {};  ///< set on GPUs, and on CPUs if rows are loops
    bool visits = false;      ///< whether `accesses` lie between the marks of a visit (run_function.hpp)
  };
  std::vector<stage_code> stages;  ///< one for each member
  /// A write that bypasses the caches, because the written result is larger than the caches. Each work-item writes its
  /// element in `layout`, which begins `base` bytes after the pointer.
  struct stream {
    unsigned stage;
    std::size_t access;
    std::int64_t base;
    element_layout layout;
  };
  std::optional<stream> past_caches;
  tile_request request;
  tile_plan plan;
  std::vector<element_layout> layouts;  ///< layouts of the results
  report_statements notes;              ///< statements about the tiles for the report
  std::uint64_t saved_bytes = 0;        ///< memory traffic that tiles save per launch
};

/// The machine for which tiles are planned.
struct tile_machine {
  unsigned threads = 1;
  std::uint64_t cache_bytes = 0;       ///< size of the last-level cache
  std::uint64_t core_cache_bytes = 0;  ///< size of the second-level cache
  bool in_groups = false;              ///< whether work-items of a group share tiles, on GPUs
  std::uint64_t group_bytes = 0;       ///< local memory that a tile may take on a GPU
  std::int64_t most_items = 0;         ///< work-items that a tile may have on a GPU
};

/// `last_runs_behind` says that the last member is not a stage of the tiles. It runs in a launch of its own, after the
/// tiles. Until the last member has run, no other command reads the memory that the last member overwrites. So if the
/// last member overwrites memory without reading it, the tiles need not write this memory.
stencil_fusion plan_stencils(const std::vector<stencil_member>& members, const decision_request& request,
                             const tile_machine& machine, bool last_runs_behind = false);

/// The local range and the number of groups of the kernel that the plan describes.
fusion_range range_of_tiles(const tile_plan& plan);

}  // namespace sinter::passes
