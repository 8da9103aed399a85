#include "tile_plan.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace sinter::passes {
namespace {

// The limit for a group's local memory, so that the results of all stages stay in the caches next to a core. With half
// of this limit, images took the same time, but volumes took much longer, because the rows of volumes had to be
// divided.
constexpr std::int64_t most_buffer_bytes = 384 * 1024;
constexpr std::uint64_t most_local_bytes = 2 << 20;
// Limits for the work-items of a group. The numbers are large, so that long contiguous parts of rows are read.
constexpr std::int64_t fewest_lanes = 256, most_lanes = 2048, lane_step = 64;
constexpr std::int64_t middle_rows = 16;
// Constants for GPUs. gpu_group: work-items of a group. gpu_groups: the number of groups that fill a GPU.
// gpu_local_bytes: local memory of a group with which several groups still run on one multiprocessor.
// most_gpu_local_bytes: the most local memory of a group.
constexpr std::int64_t gpu_group = 256, gpu_warp = 32, gpu_groups = 512;
constexpr std::uint64_t gpu_local_bytes = 28 * 1024, most_gpu_local_bytes = 48 * 1024;
constexpr std::int64_t gpu_lanes[] = {32, 64, 128, 256, 512, 1024}, gpu_rows[] = {4, 8, 16, 24, 32, 48, 64};
// If fewer groups run on a multiprocessor, less latency is hidden. Yet five sweeps were 1.2 times as fast on an H200
// with 40 KiB per group as with 28 KiB.
constexpr double cost_of_few_groups = 1.05;
// groups_per_thread: the wanted number of groups for each thread. strip_of_halo: the wanted number of rows in a strip
// for each row of its halo.
constexpr std::int64_t groups_per_thread = 8, strip_of_halo = 12, longest_strip = 256;
// With this many groups for each thread, or more, one group more makes no difference.
constexpr std::int64_t few_groups = 8;
constexpr std::uint64_t buffer_alignment = 64;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

void extend(reach& box, const reach& by, bool first) {
  for (unsigned d = 0; d < 3; ++d) {
    box.low[d] = first ? by.low[d] : std::min(box.low[d], by.low[d]);
    box.high[d] = first ? by.high[d] : std::max(box.high[d], by.high[d]);
  }
}

class planner {
public:
  explicit planner(const tile_request& request) : m_request(request) {}

  tile_plan run() {
    find_dimensions();
    if (m_request.runs.count != 0) {
      m_plan.refused = why_no_runs();
      if (!m_plan.refused.empty()) return std::move(m_plan);
    }
    find_halos();
    const reach halo = widest();
    for (unsigned d = 0; d < 3; ++d) {
      const std::int64_t most = std::max(-halo.low[d], halo.high[d]);
      if (most <= longest_reach) continue;
      m_plan.refused = "tiles would need " + std::to_string(most) + " elements around them, and more than " +
                       std::to_string(longest_reach) + " don't pay";
      return std::move(m_plan);
    }
    find_delays();
    find_passes();
    find_sizes();
    lay_out_buffers();
    const std::uint64_t most = m_request.in_groups ? m_request.group_bytes : most_local_bytes;
    if (m_plan.local_bytes > most) {
      m_plan.refused = "a tile would need " + std::to_string((m_plan.local_bytes + 1023) / 1024) +
                       " KiB of local memory, and " + std::to_string(most / 1024) + " are taken at most";
    }
    return std::move(m_plan);
  }

private:
  void find_dimensions() {
    std::vector<unsigned> used;
    for (unsigned d = 0; d < 3; ++d) {
      if (std::any_of(m_request.stages.begin(), m_request.stages.end(),
                      [d](const stage& each) { return each.range.global[d] > 1; })) {
        used.push_back(d);
      }
    }
    if (used.empty()) used.push_back(2);
    m_plan.lanes = used.back();
    if (used.size() == 2 && m_request.in_groups) {
      m_plan.middle = used.front();
      return;
    }
    if (used.size() > 1) m_plan.slide = used.front();
    if (used.size() > 2) m_plan.middle = used[1];
  }

  bool is_of_runs(std::size_t s) const { return m_request.runs.count != 0 && s + 1 == m_request.stages.size(); }
  std::uint64_t width() const { return m_request.stages.back().range.global[m_plan.lanes]; }

  /// The reason why strips can't consist of whole runs (element_runs.hpp). Strips consist of whole runs if the runs
  /// cover all elements that are written to memory, and if rows of a tile are rows of memory.
  std::string why_no_runs() const {
    if (!m_request.rows_are_loops) return "rows of tiles in front of a reduction have to be loops of vectors";
    if (m_plan.slide == 3 || m_plan.middle < 3)
      return "a reduction goes with tiles of two dimensions, whose strips of rows have whole runs of its elements";
    const fusion_range& elements = m_request.stages.back().range;
    for (const stage& each : m_request.stages) {
      for (unsigned d = 0; d < 3; ++d) {
        const bool same = each.range.global[d] == elements.global[d] && each.range.offset[d] == elements.offset[d];
        if (!same && each.lives_on) return "kernels in front of a reduction whose results live on have its range";
      }
    }
    return {};
  }

  void find_halos() {
    m_plan.stages.resize(m_request.stages.size());
    // The last run of elements in a strip may end inside the first row of the next strip, so the strip computes this
    // row, too.
    if (m_request.runs.count != 0 && !m_request.runs.has_whole_rows(width()))
      m_plan.stages.back().halo.high[m_plan.slide] = 1;
    for (std::size_t s = m_request.stages.size(); s-- > 0;) {
      auto& placed = m_plan.stages[s];
      placed.needed = m_request.stages[s].lives_on;
      for (std::size_t k = s + 1; k < m_request.stages.size(); ++k) {
        if (!m_plan.stages[k].needed) continue;
        for (const stage_read& read : m_request.stages[k].reads) {
          if (m_request.results[read.result].writer != s) continue;
          reach around = m_plan.stages[k].halo;
          for (unsigned d = 0; d < 3; ++d) {
            around.low[d] += read.footprint.low[d];
            around.high[d] += read.footprint.high[d];
          }
          extend(placed.halo, around, !placed.needed);
          placed.needed = true;
        }
      }
    }
  }

  std::int64_t along_slide(const std::int64_t (&of)[3]) const { return m_plan.slide < 3 ? of[m_plan.slide] : 0; }

  /// Later stages are never ahead of earlier stages, because a later stage may overwrite memory that an earlier stage
  /// reads.
  void find_delays() {
    std::int64_t delay = 0;
    m_plan.buffers.resize(m_request.results.size());
    for (std::size_t s = 0; s < m_request.stages.size(); ++s) {
      auto& placed = m_plan.stages[s];
      if (!placed.needed) continue;
      for (const stage_read& read : m_request.stages[s].reads) {
        const auto& writer = m_plan.stages[m_request.results[read.result].writer];
        delay = std::max(delay, writer.delay + along_slide(read.footprint.high));
      }
      placed.delay = delay;
    }
    for (std::size_t s = 0; s < m_request.stages.size(); ++s) {
      if (!m_plan.stages[s].needed) continue;
      for (const stage_read& read : m_request.stages[s].reads) {
        auto& buffer = m_plan.buffers[read.result];
        const auto& writer = m_plan.stages[m_request.results[read.result].writer];
        const std::int64_t ahead = m_plan.stages[s].delay - along_slide(read.footprint.low) - writer.delay;
        buffer.rows = std::max(buffer.rows, ahead + rows_at_once(s));
      }
    }
    for (auto& buffer : m_plan.buffers) {
      buffer.rows = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(buffer.rows)));
    }
  }

  /// The number of rows that the stage needs at once. The reduction of a run needs all rows of the run.
  std::int64_t rows_at_once(std::size_t s) const {
    return is_of_runs(s) ? static_cast<std::int64_t>(m_request.runs.most_rows(width())) : 1;
  }

  /// Finds the passes. A pass consists of stages that compute the same work-items at the same time, and in which each
  /// work-item reads only its own element of the other stages' results.
  void find_passes() {
    std::optional<std::size_t> first;  // first stage of the pass
    unsigned passes = 0;
    for (std::size_t s = 0; s < m_plan.stages.size(); ++s) {
      auto& placed = m_plan.stages[s];
      if (!placed.needed) continue;
      if (!first || !may_join(s, *first)) {
        first = s;
        ++passes;
      }
      placed.pass = passes;
    }
    if (!m_request.rows_are_loops && !m_request.in_groups) return;
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
      auto& buffer = m_plan.buffers[i];
      const unsigned pass = m_plan.stages[m_request.results[i].writer].pass;
      buffer.is_value = true;
      for (std::size_t s = 0; s < m_request.stages.size(); ++s) {
        for (const stage_read& read : m_request.stages[s].reads) {
          buffer.is_value &= read.result != i || !m_plan.stages[s].needed || m_plan.stages[s].pass == pass;
        }
      }
    }
  }

  bool may_join(std::size_t s, std::size_t first) const {
    const auto &placed = m_plan.stages[s], &pass = m_plan.stages[first];
    const fusion_range &range = m_request.stages[s].range, &common = m_request.stages[first].range;
    const bool has_passes = m_request.rows_are_loops || m_request.in_groups;
    bool same = has_passes && !is_of_runs(s) && placed.halo == pass.halo && placed.delay == pass.delay;
    for (unsigned d = 0; d < 3; ++d) {
      same &= range.global[d] == common.global[d] && range.offset[d] == common.offset[d];
    }
    return same && std::all_of(m_request.stages[s].reads.begin(), m_request.stages[s].reads.end(),
                               [&](const stage_read& read) {
                                 return m_request.results[read.result].writer < first || read.footprint == reach{};
                               });
  }

  /// The widest halo of all stages, per dimension and side.
  reach widest() const {
    reach all;
    for (const auto& placed : m_plan.stages) {
      if (placed.needed) extend(all, placed.halo, false);
    }
    return all;
  }

  void find_sizes() {
    bool first = true;
    std::int64_t begin[3], end[3];  // ids of all stages
    for (std::size_t s = 0; s < m_request.stages.size(); ++s) {
      const stage& each = m_request.stages[s];
      for (unsigned d = 0; d < 3; ++d) {
        const auto low = static_cast<std::int64_t>(each.range.offset[d]);
        const auto high = low + static_cast<std::int64_t>(each.range.global[d]);
        begin[d] = s == 0 ? low : std::min(begin[d], low);
        end[d] = s == 0 ? high : std::max(end[d], high);
        if (!each.lives_on) continue;
        m_plan.first[d] = first ? low : std::min(m_plan.first[d], low);
        m_plan.last[d] = first ? high : std::max(m_plan.last[d], high);
      }
      first &= !each.lives_on;
    }
    const reach halo = widest();
    if (m_request.in_groups) return find_shared_tile(halo);
    std::int64_t column = 0;  // bytes that a column takes in all buffers, for one row along `middle`
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
      if (!m_plan.buffers[i].is_value)
        column += m_plan.buffers[i].rows * static_cast<std::int64_t>(m_request.results[i].element_bytes);
    }
    column = std::max<std::int64_t>(column, 1);
    std::int64_t rows_in_middle = 1;
    if (m_plan.middle < 3) {
      const unsigned m = m_plan.middle;
      m_plan.tile[m] = std::min(m_plan.last[m] - m_plan.first[m], middle_rows);
      rows_in_middle = m_plan.tile[m] + halo.high[m] - halo.low[m];
    }
    const unsigned x = m_plan.lanes;
    const std::int64_t fits =
        std::clamp(most_buffer_bytes / (column * rows_in_middle) / lane_step * lane_step, fewest_lanes, most_lanes);
    const std::int64_t around = halo.high[x] - halo.low[x], width = m_plan.last[x] - m_plan.first[x];
    if (end[x] - begin[x] <= fits || m_request.runs.count != 0) {
      m_plan.tile[x] = width;
      m_plan.lanes_before = m_plan.first[x] - begin[x];
      m_plan.columns = end[x] - begin[x];
    } else {
      const std::int64_t count = divide_up(width, std::max<std::int64_t>(fits - around, lane_step));
      m_plan.tile[x] = round_up(divide_up(width, count), 16);
      m_plan.lanes_before = -halo.low[x];
      m_plan.columns = m_plan.tile[x] + around;
    }
    m_plan.group = m_request.rows_are_loops ? 1 : m_plan.columns;
    find_strip(halo);
    if (m_request.runs.count != 0) find_runs_of_strip();
    count_tiles();
  }

  /// Chooses how many runs of elements (element_runs.hpp) a strip has. A strip then has about as many rows as in a plan
  /// without runs.
  void find_runs_of_strip() {
    const element_runs& runs = m_request.runs;
    const std::uint64_t wanted = static_cast<std::uint64_t>(m_plan.tile[m_plan.slide]) * width();
    m_plan.runs_of_strip = std::clamp<std::uint64_t>((wanted + runs.length() / 2) / runs.length(), 1, runs.count);
    m_plan.tile[m_plan.slide] = static_cast<std::int64_t>(
        std::max<std::uint64_t>(m_plan.runs_of_strip * runs.longest() / width(), 1));
    m_plan.group = items_of_run;
  }

  void count_tiles() {
    double all = 0, twice = 0;
    for (unsigned d = 0; d < 3; ++d) {
      m_plan.tiles[d] = divide_up(m_plan.last[d] - m_plan.first[d], m_plan.tile[d]);
    }
    if (m_plan.runs_of_strip != 0) {
      m_plan.tiles[m_plan.slide] = divide_up(static_cast<std::int64_t>(m_request.runs.count),
                                             static_cast<std::int64_t>(m_plan.runs_of_strip));
    }
    for (std::size_t s = 0; s < m_plan.stages.size(); ++s) {
      if (!m_plan.stages[s].needed) continue;
      double own = 1, with_halo = 1;
      for (unsigned d = 0; d < 3; ++d) {
        const auto size = static_cast<double>(m_plan.tile[d]);
        const bool alone = m_plan.tiles[d] == 1;
        own *= size;
        with_halo *=
            alone ? size : size + static_cast<double>(m_plan.stages[s].halo.high[d] - m_plan.stages[s].halo.low[d]);
      }
      all += 1;
      twice += with_halo / own - 1;
    }
    m_plan.recomputed = all == 0 ? 0 : twice / all;
  }

  /// Chooses the height of strips: the smallest height with which the busiest thread ends about as early as possible.
  /// If there are few strips, they may be distributed unevenly: two threads take as long for three strips as for four.
  std::int64_t even_strip(std::int64_t strip, std::int64_t height, std::int64_t others, std::int64_t around) const {
    const std::int64_t threads = m_request.threads, usual = divide_up(height, strip);
    if (usual * others >= few_groups * threads) return strip;
    const auto rows_of_a_thread = [&](std::int64_t count) {
      return divide_up(count * others, threads) * (divide_up(height, count) + around);
    };
    std::int64_t least = rows_of_a_thread(usual), best = usual;
    const std::int64_t most = std::min(height, few_groups * threads);
    for (std::int64_t count = 1; count <= most; ++count) least = std::min(least, rows_of_a_thread(count));
    for (std::int64_t count = 1; count <= most; ++count) {
      if (rows_of_a_thread(count) * 20 <= least * 21) best = count;
    }
    return divide_up(height, best);
  }

  void find_strip(const reach& halo) {
    if (m_plan.slide == 3) return;
    const unsigned s = m_plan.slide;
    const std::int64_t height = m_plan.last[s] - m_plan.first[s];
    std::int64_t others = 1;
    for (unsigned d = 0; d < 3; ++d) {
      if (d != s) others *= divide_up(m_plan.last[d] - m_plan.first[d], m_plan.tile[d]);
    }
    const std::int64_t wanted = divide_up(std::int64_t{m_request.threads} * groups_per_thread, others);
    const std::int64_t least = std::max<std::int64_t>(strip_of_halo * (halo.high[s] - halo.low[s]), 16);
    const std::int64_t strip = std::min(std::max(divide_up(height, wanted), least), longest_strip);
    m_plan.tile[s] = even_strip(std::min(height, std::max(strip, least)), height, others, halo.high[s] - halo.low[s]);
  }

  void set_shared_tile(const reach& halo, std::int64_t lanes, std::int64_t rows) {
    const unsigned x = m_plan.lanes;
    m_plan.tile[x] = std::min(lanes, m_plan.last[x] - m_plan.first[x]);
    m_plan.lanes_before = -halo.low[x];
    m_plan.columns = m_plan.tile[x] + halo.high[x] - halo.low[x];
    if (m_plan.middle < 3) {
      const unsigned m = m_plan.middle;
      m_plan.tile[m] = std::min(rows, m_plan.last[m] - m_plan.first[m]);
    }
    find_strip(halo);
    count_tiles();
    lay_out_buffers();
  }

  std::int64_t largest_group() const { return std::min(gpu_group, m_request.most_items); }

  /// The cost of a tile: the number of items that each work-item of the group computes, relative to the size of the
  /// tile. The cost is higher if there are too few groups to fill the GPU.
  double cost_of_shared_tile() const {
    double turns = 0;
    std::vector<unsigned> passes;
    for (const auto& placed : m_plan.stages) {
      if (!placed.needed || std::find(passes.begin(), passes.end(), placed.pass) != passes.end()) continue;
      passes.push_back(placed.pass);
      std::int64_t items = 1;
      for (const unsigned d : {m_plan.middle, m_plan.lanes}) {
        if (d < 3) items *= m_plan.tile[d] + placed.halo.high[d] - placed.halo.low[d];
      }
      turns += static_cast<double>(divide_up(items, largest_group()));
    }
    double own = 1, tiles = 1;
    for (unsigned d = 0; d < 3; ++d) {
      if (d != m_plan.slide) own *= static_cast<double>(m_plan.tile[d]);
      tiles *= static_cast<double>(m_plan.tiles[d]);
    }
    const double few = m_plan.local_bytes > gpu_local_bytes ? cost_of_few_groups : 1;
    return few * turns / own * std::max(1.0, static_cast<double>(gpu_groups) / tiles);
  }

  /// Chooses the cheapest tile that fits, or the smallest tile if none fits.
  void find_shared_tile(const reach& halo) {
    std::int64_t lanes = gpu_lanes[0], rows = gpu_rows[0];
    std::optional<double> least;
    for (const std::int64_t width : gpu_lanes) {
      for (const std::int64_t height : gpu_rows) {
        if (height != gpu_rows[0] && m_plan.middle == 3) continue;
        set_shared_tile(halo, width, height);
        if (m_plan.local_bytes > std::min(most_gpu_local_bytes, m_request.group_bytes)) continue;
        const double cost = cost_of_shared_tile();
        if (least && *least <= cost) continue;
        least = cost, lanes = width, rows = height;
      }
    }
    set_shared_tile(halo, lanes, rows);
    std::int64_t items = m_plan.columns;
    if (m_plan.middle < 3) items *= m_plan.tile[m_plan.middle] + halo.high[m_plan.middle] - halo.low[m_plan.middle];
    m_plan.group = std::min(largest_group(), round_up(items, gpu_warp));
  }

  void lay_out_buffers() {
    m_plan.local_bytes = m_plan.value_bytes = 0;
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
      auto& buffer = m_plan.buffers[i];
      const std::uint64_t element = m_request.results[i].element_bytes;
      if (buffer.is_value) {
        buffer.offset = m_plan.value_bytes;
        buffer.bytes = element;
        m_plan.value_bytes = (buffer.offset + element + 15) / 16 * 16;
        continue;
      }
      if (m_plan.middle < 3) {
        const reach& halo = m_plan.stages[m_request.results[i].writer].halo;
        buffer.middle = m_plan.tile[m_plan.middle] + halo.high[m_plan.middle] - halo.low[m_plan.middle];
      }
      // The pitch gives rows different offsets in their pages, because a core may at first mistake accesses with equal
      // page offsets for accesses to the same address, and wait.
      buffer.pitch = m_request.in_groups ? m_plan.columns : round_up(m_plan.columns, 16) + 16;
      buffer.bytes = static_cast<std::uint64_t>(buffer.rows * buffer.middle * buffer.pitch) * element;
      buffer.offset = m_request.in_groups && m_plan.slide == 3 ? free_place(i) : m_plan.local_bytes;
      m_plan.local_bytes = std::max(m_plan.local_bytes, end_of(buffer));
    }
  }

  static std::uint64_t end_of(const tile_plan::buffer& buffer) {
    return (buffer.offset + buffer.bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
  }
  /// The pass that writes the result, and the last pass that reads it.
  std::pair<unsigned, unsigned> life_of(std::size_t result) const {
    const unsigned first = m_plan.stages[m_request.results[result].writer].pass;
    unsigned last = first;
    for (std::size_t s = 0; s < m_request.stages.size(); ++s) {
      for (const stage_read& read : m_request.stages[s].reads) {
        if (read.result == result && m_plan.stages[s].needed) last = std::max(last, m_plan.stages[s].pass);
      }
    }
    return {first, last};
  }
  /// The lowest offset in local memory at which no earlier result is stored at the same time.
  std::uint64_t free_place(std::size_t result) const {
    const auto life = life_of(result);
    std::vector<const tile_plan::buffer*> taken;
    for (std::size_t i = 0; i < result; ++i) {
      const auto other = life_of(i);
      const bool apart = other.second < life.first || life.second < other.first;
      if (!apart && !m_plan.buffers[i].is_value) taken.push_back(&m_plan.buffers[i]);
    }
    std::sort(taken.begin(), taken.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
    std::uint64_t place = 0;
    for (const tile_plan::buffer* each : taken) {
      if (place + m_plan.buffers[result].bytes <= each->offset) break;
      place = std::max(place, end_of(*each));
    }
    return place;
  }

  const tile_request& m_request;
  tile_plan m_plan;
};

}  // namespace

tile_plan plan_tiles(const tile_request& request) { return planner(request).run(); }

}  // namespace sinter::passes
