#pragma once
/// Plans, in plain numbers, how the stages of a list become one kernel. The plan says how large tiles are, how many
/// work-items around a tile each stage also computes, and how many rows of a stage's results are kept. README.md
/// explains the terms.

#include <cstdint>
#include <string>
#include <vector>

#include "element_runs.hpp"
#include "passes/fusion/fusion_metadata.hpp"

namespace sinter::passes {

/// A box around a work-item or a tile, per dimension in SYCL order. `low` and `high` are the distances of the box's two
/// ends from the work-item or tile. An end with a negative distance lies before the work-item or tile.
struct reach {
  std::int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  friend bool operator==(const reach&, const reach&) = default;
};

/// A result of a stage that later stages read.
struct stage_result {
  unsigned writer;  ///< number of the stage that writes the result
  std::uint64_t element_bytes;
};
struct stage_read {
  unsigned result;  ///< number of the result, whose writer is an earlier stage
  reach footprint;  ///< elements that are read, relative to the reader's work-item
};
struct stage {
  fusion_range range;
  std::vector<stage_read> reads;
  bool lives_on = false;  ///< whether the result is also written to memory, by the tile that owns the work-item
};

struct tile_request {
  std::vector<stage> stages;
  std::vector<stage_result> results;
  unsigned threads = 1;
  bool rows_are_loops = false;  ///< a group is one work-item, which runs rows as loops
  bool in_groups = false;       ///< on GPUs: a group's work-items share the work along `middle` and `lanes`
  std::uint64_t group_bytes = 48 * 1024;  ///< on GPUs: local memory that a group may take
  std::int64_t most_items = 256;          ///< on GPUs: work-items that a group may have
  /// If the last stage is a reduction over its range: the runs of consecutive elements that it adds up
  /// (element_runs.hpp). For a plan with such a stage, tiles are strips of whole rows, and each strip has whole runs.
  element_runs runs{};
};

// With a longer reach, tiles would not be faster, because too many work-items would be computed several times.
inline constexpr std::int64_t longest_reach = 64;

struct tile_plan {
  std::string refused;  ///< why there is no plan; empty if there is one
  /// Dimensions of the range, or 3 for no dimension. Work-items of a group are neighbours along `lanes`. The group
  /// moves along `slide`, and in each step computes all rows of its tile along `middle`. On GPUs, ranges of two
  /// dimensions have no `slide`: their dimensions are `middle` and `lanes`.
  unsigned lanes = 2, middle = 3, slide = 3;
  struct placed_stage {
    bool needed = false;     ///< whether the stage's results are read
    reach halo;              ///< work-items around the tile that the stage also computes
    std::int64_t delay = 0;  ///< rows by which the stage is behind the loop along `slide`
    unsigned pass = 0;       ///< stages with the same number share one loop over the work-items of a row
  };
  std::vector<placed_stage> stages;
  struct buffer {
    /// Whether the result needs no buffer in local memory: each work-item reads only its own element, in the same loop
    /// that writes the result.
    bool is_value = false;
    std::int64_t rows = 1;    ///< rows along `slide`, a power of two; new rows overwrite old ones
    std::int64_t middle = 1;  ///< rows along `middle`
    std::int64_t pitch = 1;   ///< distance between the starts of two rows, in elements
    std::uint64_t offset = 0, bytes = 0;  ///< position in local memory; of a value: in the work-item's own memory
  };
  std::vector<buffer> buffers;  ///< buffers of the results
  std::int64_t first[3] = {0, 0, 0}, last[3] = {1, 1, 1};  ///< ids that tiles cover
  std::int64_t tile[3] = {1, 1, 1};
  std::int64_t tiles[3] = {1, 1, 1};
  std::int64_t columns = 1;       ///< lanes of a tile, including the lanes around it
  std::int64_t group = 1;         ///< number of work-items of a group; 1 if rows are loops
  std::int64_t lanes_before = 0;  ///< columns in front of the tile
  std::uint64_t local_bytes = 0, value_bytes = 0;
  /// The number of runs of a tile, or 0 if there are no runs. The tile begins with the row in which its first run
  /// begins.
  std::uint64_t runs_of_strip = 0;
  double recomputed = 0;  ///< share of work-items that are computed more than once
};

tile_plan plan_tiles(const tile_request& request);

/// The number of work-items in a group that reduces runs. The work-items are the lanes of one sub-group.
inline constexpr std::int64_t items_of_run = 16;

}  // namespace sinter::passes
