#pragma once
/// Plans, in plain numbers, how the stages of a list become one kernel: how far around a tile each stage is computed
/// again, how many rows of its results are kept, and how large tiles are. README.md has the words.

#include <cstdint>
#include <string>
#include <vector>

#include "element_runs.hpp"
#include "passes/fusion/fusion_metadata.hpp"

namespace sinter::passes {

/// A box around a work-item or a tile, per dimension in SYCL order: from `low` before it to `high` behind it.
struct reach {
  std::int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  friend bool operator==(const reach&, const reach&) = default;
};

/// A result of a stage that later stages read.
struct stage_result {
  unsigned writer;              ///< the stage
  std::uint64_t element_bytes;
};
struct stage_read {
  unsigned result;  ///< what is read; the reader stands behind its writer
  reach footprint;  ///< where, from the reader's work-item
};
struct stage {
  fusion_range range;
  std::vector<stage_read> reads;
  bool lives_on = false;  ///< it writes memory, too: each work-item once, by the tile that owns it
};

struct tile_request {
  std::vector<stage> stages;
  std::vector<stage_result> results;
  unsigned threads = 1;
  bool rows_are_loops = false;  ///< a group is one work-item, which goes through rows in loops
  bool in_groups = false;       ///< GPUs: a group's work-items share what lies along `middle` and `lanes`
  std::uint64_t group_bytes = 48 * 1024;  ///< GPUs: local memory that a group may take
  std::int64_t most_items = 256;          ///< GPUs: work-items that a group may have
  /// Where the last stage is a reduction over its range: tiles are strips of whole rows, and each strip has whole runs.
  element_runs runs{};
};

// Farther away a stage of a tile is computed more often again than anything gains.
inline constexpr std::int64_t longest_reach = 64;

struct tile_plan {
  std::string refused;  ///< empty: the rest holds
  /// Dimensions of the range; 3: there is no such dimension. Work-items of a group lie along `lanes`; it goes row by
  /// row along `slide`, and through all rows of its tile along `middle` for each of them. Images in groups have no
  /// `slide`.
  unsigned lanes = 2, middle = 3, slide = 3;
  struct placed_stage {
    bool needed = false;     ///< somebody reads what it does
    reach halo;              ///< around the tile
    std::int64_t delay = 0;  ///< rows that it is behind the loop along `slide`
    unsigned pass = 0;       ///< stages of equal numbers go through a row together, work-item by work-item
  };
  std::vector<placed_stage> stages;
  struct buffer {
    bool is_value = false;    ///< read in the pass that writes it alone: the work-item's own, of these bytes
    std::int64_t rows = 1;    ///< along `slide`, a power of two: older rows are overwritten
    std::int64_t middle = 1;  ///< rows along `middle`
    std::int64_t pitch = 1;   ///< elements from row to row
    std::uint64_t offset = 0, bytes = 0;  ///< in local memory, or among values
  };
  std::vector<buffer> buffers;  ///< of each result
  std::int64_t first[3] = {0, 0, 0}, last[3] = {1, 1, 1};  ///< ids that tiles cover
  std::int64_t tile[3] = {1, 1, 1};
  std::int64_t tiles[3] = {1, 1, 1};
  std::int64_t columns = 1;         ///< lanes of a tile, including the lanes around it
  std::int64_t group = 1;           ///< work-items of a group: `columns`, or one, or what suits a GPU
  std::int64_t lanes_before = 0;    ///< columns in front of the tile
  std::uint64_t local_bytes = 0, value_bytes = 0;
  std::uint64_t runs_of_strip = 0;  ///< a tile has rows from the one in which its first run begins on; 0: no runs
  double recomputed = 0;            ///< work-items computed beyond one each, as a part of all
};

tile_plan plan_tiles(const tile_request& request);

/// Work-items of a group that reduces runs: the lanes of its sub-group.
inline constexpr std::int64_t items_of_run = 16;

}  // namespace sinter::passes
