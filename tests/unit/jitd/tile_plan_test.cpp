/// Makes plans for random stages and follows them tile by tile. All values that a stage reads must still be in their
/// buffers. Each value that remains after the kernel must be computed by exactly one tile, its owner.

#include <doctest/doctest.h>

#include <algorithm>
#include <passes/stencils/tile_plan.hpp>
#include <vector>

#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;

std::int64_t first_of(const stage& of, unsigned d) { return static_cast<std::int64_t>(of.range.offset[d]); }
std::int64_t end_of(const stage& of, unsigned d) {
  return first_of(of, d) + static_cast<std::int64_t>(of.range.global[d]);
}

/// All stages have the same range. Each stage reads from some of the earlier stages.
tile_request random_request(generator& random) {
  tile_request request;
  request.threads = 1 + static_cast<unsigned>(random.below(8));
  request.in_groups = random.chance(50);
  request.rows_are_loops = !request.in_groups && random.chance(50);
  fusion_range range;
  range.dimensions = 1 + static_cast<unsigned>(random.below(3));
  for (unsigned d = 3 - range.dimensions; d < 3; ++d) {
    range.global[d] = 1 + random.below(d == 2 ? 6000 : 90);
    range.offset[d] = random.chance(70) ? 0 : random.below(5);
  }
  const std::uint64_t count = 2 + random.below(6);
  for (unsigned s = 0; s < count; ++s) {
    stage next{range, {}, s + 1 == count || random.chance(20)};
    for (unsigned p = 0; p < s; ++p) {
      if (!random.chance(p + 1 == s ? 80 : 25)) continue;
      stage_read read{p, {}};
      for (unsigned d = 3 - range.dimensions; d < 3; ++d) {
        read.footprint.low[d] = static_cast<std::int64_t>(random.below(5)) - 3;
        read.footprint.high[d] = read.footprint.low[d] + static_cast<std::int64_t>(random.below(4));
      }
      next.reads.push_back(read);
    }
    request.stages.push_back(next);
    request.results.push_back({s, std::uint64_t{1} << random.below(5)});
  }
  return request;
}

struct span {
  std::int64_t first, end;
};
/// Returns which part of a stage's range is computed for a tile.
span part(const tile_request& request, const tile_plan& plan, std::size_t s, unsigned d, std::int64_t tile) {
  const std::int64_t first = plan.first[d] + tile * plan.tile[d], end = std::min(first + plan.tile[d], plan.last[d]);
  return {std::max(first + plan.stages[s].halo.low[d], first_of(request.stages[s], d)),
          std::min(end + plan.stages[s].halo.high[d], end_of(request.stages[s], d))};
}

/// Whether the ring buffers hold all rows that stages read from them, along the dimension in which tiles advance.
bool rows_are_there(const tile_request& request, const tile_plan& plan, std::int64_t tile) {
  const unsigned d = plan.slide;
  std::vector<std::vector<std::int64_t>> rings;
  for (const auto& buffer : plan.buffers)
    rings.push_back(std::vector<std::int64_t>(static_cast<std::size_t>(buffer.rows), -1000));
  const std::int64_t first = plan.first[d] + tile * plan.tile[d];
  for (std::int64_t step = first - 200; step < first + plan.tile[d] + 200; ++step) {
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      if (!plan.stages[s].needed) continue;
      const std::int64_t row = step - plan.stages[s].delay;
      const span rows = part(request, plan, s, d, tile);
      if (row < rows.first || row >= rows.end) continue;
      for (const stage_read& read : request.stages[s].reads) {
        const std::size_t p = request.results[read.result].writer;
        const stage& writer = request.stages[p];
        // Within one pass over a tile, a work-item reads only its own earlier results.
        if (plan.stages[p].pass == plan.stages[s].pass) {
          if (read.footprint != reach{} || plan.stages[p].delay != plan.stages[s].delay) return false;
          continue;
        }
        if (plan.buffers[read.result].is_value) return false;
        const auto& ring = rings[read.result];
        for (std::int64_t by = read.footprint.low[d]; by <= read.footprint.high[d]; ++by) {
          if (row + by < first_of(writer, d) || row + by >= end_of(writer, d)) continue;
          if (ring[static_cast<std::size_t>((row + by) & (plan.buffers[read.result].rows - 1))] != row + by)
            return false;
        }
      }
      if (plan.buffers[s].is_value) continue;
      rings[s][static_cast<std::size_t>(row & (plan.buffers[s].rows - 1))] = row;
    }
  }
  return true;
}

/// Whether buffers that are in use at the same time do not overlap, and are inside the group's memory.
bool buffers_are_apart(const tile_request& request, const tile_plan& plan) {
  const auto last_use = [&](std::size_t result) {
    unsigned last = plan.stages[request.results[result].writer].pass;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      for (const stage_read& read : request.stages[s].reads) {
        if (read.result == result && plan.stages[s].needed) last = std::max(last, plan.stages[s].pass);
      }
    }
    return last;
  };
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const auto& a = plan.buffers[i];
    if (a.is_value) continue;
    if (a.offset + a.bytes > plan.local_bytes) return false;
    for (std::size_t k = 0; k < i; ++k) {
      const auto& b = plan.buffers[k];
      if (b.is_value || a.offset >= b.offset + b.bytes || b.offset >= a.offset + a.bytes) continue;
      const unsigned first_a = plan.stages[request.results[i].writer].pass;
      const unsigned first_b = plan.stages[request.results[k].writer].pass;
      // If the plan slides along a dimension, rows are kept for the next tile, so each buffer is in use all the time.
      if (plan.slide < 3 || (first_a <= last_use(k) && first_b <= last_use(i))) return false;
    }
  }
  return true;
}

/// Whether, in the other dimensions, the values that a stage reads were computed for the same tile and are in the
/// buffer.
bool columns_are_there(const tile_request& request, const tile_plan& plan, unsigned d, std::int64_t tile) {
  const std::int64_t first = plan.first[d] + tile * plan.tile[d];
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (!plan.stages[s].needed) continue;
    const span mine = part(request, plan, s, d, tile);
    if (d == plan.lanes && mine.first < mine.end) {
      const std::int64_t lane = first - plan.lanes_before;
      if (mine.first < lane || mine.end > lane + plan.columns) return false;
      if (!plan.buffers[s].is_value && plan.columns > plan.buffers[s].pitch) return false;
    }
    for (const stage_read& read : request.stages[s].reads) {
      const std::size_t p = request.results[read.result].writer;
      const span theirs = part(request, plan, p, d, tile);
      const bool is_there = plan.buffers[read.result].is_value;
      const std::int64_t rows = theirs.end - (first + plan.stages[p].halo.low[d]);
      if (d == plan.middle && !is_there && rows > plan.buffers[read.result].middle) return false;
      if (mine.first >= mine.end) continue;
      const std::int64_t low = std::max(mine.first + read.footprint.low[d], first_of(request.stages[p], d));
      const std::int64_t end = std::min(mine.end + read.footprint.high[d], end_of(request.stages[p], d));
      if (low < end && (low < theirs.first || end > theirs.end)) return false;
    }
  }
  return true;
}

/// Makes a random list that ends with a reduction whose range is divided into runs of elements.
tile_request random_request_with_runs(generator& random) {
  tile_request request;
  request.threads = 1 + static_cast<unsigned>(random.below(8));
  request.rows_are_loops = true;
  fusion_range range;
  range.dimensions = 2;
  range.global[1] = 2 + random.below(200);
  range.global[2] = 2 + random.below(random.chance(50) ? 20 : 400);
  const std::uint64_t count = 2 + random.below(5);
  for (unsigned s = 0; s < count; ++s) {
    stage next{range, {}, s + 1 == count || random.chance(20)};
    for (unsigned p = 0; p < s; ++p) {
      if (!random.chance(p + 1 == s ? 80 : 25)) continue;
      stage_read read{p, {}};
      for (unsigned d = 1; d < 3; ++d) {
        read.footprint.low[d] = static_cast<std::int64_t>(random.below(5)) - 3;
        read.footprint.high[d] = read.footprint.low[d] + static_cast<std::int64_t>(random.below(4));
      }
      next.reads.push_back(read);
    }
    request.stages.push_back(next);
    if (s + 1 < count) request.results.push_back({s, 4});
  }
  request.runs.total = size_of(range);
  const std::uint64_t rows_of_run = 1 + random.below(9);
  request.runs.count = random.chance(30) ? std::max<std::uint64_t>(range.global[1] / rows_of_run, 1)
                                         : 1 + random.below(std::min<std::uint64_t>(request.runs.total, 300));
  return request;
}

/// Follows a strip in the order of its kernel: for each run of elements, first the rows that the run needs, then the
/// run.
bool runs_find_rows(const tile_request& request, const tile_plan& plan, std::uint64_t strip,
                    std::vector<std::vector<int>>& owned) {
  const unsigned d = plan.slide;
  const auto width = static_cast<std::int64_t>(request.stages.back().range.global[plan.lanes]);
  const element_runs& runs = request.runs;
  const auto begin_of = [&](std::uint64_t run) { return static_cast<std::int64_t>(runs.begin(run)); };
  const std::uint64_t begin = strip * plan.runs_of_strip, end = std::min(begin + plan.runs_of_strip, runs.count);
  const std::int64_t first = begin_of(begin) / width, last = begin_of(end) / width;
  std::vector<std::vector<std::int64_t>> rings;
  for (const auto& buffer : plan.buffers)
    rings.push_back(std::vector<std::int64_t>(static_cast<std::size_t>(buffer.rows), -1000));
  std::int64_t step = first;
  for (const auto& placed : plan.stages) {
    if (placed.needed) step = std::min(step, first + placed.halo.low[d] + placed.delay);
  }
  const auto is_there = [&](const stage_read& read, std::int64_t row) {
    const stage& writer = request.stages[request.results[read.result].writer];
    for (std::int64_t by = read.footprint.low[d]; by <= read.footprint.high[d]; ++by) {
      if (row + by < 0 || row + by >= end_of(writer, d)) continue;
      const auto& ring = rings[read.result];
      if (ring[static_cast<std::size_t>(row + by) & (ring.size() - 1)] != row + by) return false;
    }
    return true;
  };
  const std::size_t reduction = request.stages.size() - 1;
  for (std::uint64_t run = begin; run < end; ++run) {
    const std::int64_t last_row = (begin_of(run + 1) - 1) / width;
    for (; step <= last_row + plan.stages[reduction].delay; ++step) {
      for (std::size_t s = 0; s < reduction; ++s) {
        if (!plan.stages[s].needed) continue;
        const std::int64_t row = step - plan.stages[s].delay;
        if (row < std::max<std::int64_t>(first + plan.stages[s].halo.low[d], 0)) continue;
        if (row >= std::min(last + plan.stages[s].halo.high[d], end_of(request.stages[s], d))) continue;
        if (row >= first && row < last) ++owned[s][static_cast<std::size_t>(row)];
        for (const stage_read& read : request.stages[s].reads) {
          const bool together = plan.stages[request.results[read.result].writer].pass == plan.stages[s].pass;
          if (!together && !is_there(read, row)) return false;
        }
        rings[s][static_cast<std::size_t>(row) & (rings[s].size() - 1)] = row;
      }
    }
    for (std::int64_t row = begin_of(run) / width; row <= last_row; ++row) {
      for (const stage_read& read : request.stages[reduction].reads) {
        if (plan.buffers[read.result].is_value || !is_there(read, row)) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("runs of a reduction find their rows, and each row belongs to one strip") {
  generator random(21);
  unsigned planned = 0, strips = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    const tile_request request = random_request_with_runs(random);
    const tile_plan plan = plan_tiles(request);
    if (!plan.refused.empty()) continue;
    ++planned;
    REQUIRE(plan.tiles[plan.lanes] == 1);
    REQUIRE(plan.group == items_of_run);
    std::vector<std::vector<int>> owned(request.stages.size(), std::vector<int>(request.stages[0].range.global[1]));
    for (std::int64_t strip = 0; strip < plan.tiles[plan.slide]; ++strip, ++strips)
      REQUIRE(runs_find_rows(request, plan, static_cast<std::uint64_t>(strip), owned));
    for (std::size_t s = 0; s + 1 < request.stages.size(); ++s) {
      const bool once = std::all_of(owned[s].begin(), owned[s].end(), [](int times) { return times == 1; });
      if (request.stages[s].lives_on) REQUIRE(once);
    }
  }
  CHECK(planned > 1000);
  CHECK(strips > 2 * planned);
}

TEST_CASE("a reduction goes with images whose rows are loops") {
  tile_request request;
  fusion_range range;
  range.dimensions = 2;
  range.global[1] = 100, range.global[2] = 50;
  request.stages = {{range, {}, false}, {range, {{0, {}}}, true}};
  request.results = {{0, 4}};
  request.runs = {5000, 64};
  CHECK(!plan_tiles(request).refused.empty());
  request.rows_are_loops = true;
  CHECK(plan_tiles(request).refused.empty());
  request.stages[0].lives_on = true;
  request.stages[0].range.global[1] = 101;
  CHECK(plan_tiles(request).refused.find("have its range") != std::string::npos);
  for (stage& each : request.stages) each.range.global[1] = 1;
  request.runs = {50, 1};
  CHECK(plan_tiles(request).refused.find("two dimensions") != std::string::npos);
}

TEST_CASE("what stages of a tile read is in their buffers") {
  generator random(20);
  unsigned planned = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    const tile_request request = random_request(random);
    const tile_plan plan = plan_tiles(request);
    if (!plan.refused.empty()) continue;
    ++planned;
    if (request.in_groups) {
      REQUIRE(plan.group % 32 == 0);
      REQUIRE(plan.group <= 256);
      REQUIRE(plan.local_bytes <= 48 * 1024);
    } else {
      REQUIRE(plan.group == (request.rows_are_loops ? 1 : plan.columns));
    }
    REQUIRE(buffers_are_apart(request, plan));
    for (unsigned d = 0; d < 3; ++d) {
      // Tiles do not overlap, and cover all results that remain after the kernel.
      REQUIRE(plan.tiles[d] * plan.tile[d] >= plan.last[d] - plan.first[d]);
      REQUIRE((plan.tiles[d] - 1) * plan.tile[d] < plan.last[d] - plan.first[d]);
      for (std::size_t s = 0; s < request.stages.size(); ++s) {
        if (!request.stages[s].lives_on) continue;
        REQUIRE(plan.stages[s].needed);
        REQUIRE(plan.stages[s].halo.low[d] <= 0);
        REQUIRE(plan.stages[s].halo.high[d] >= 0);
        REQUIRE(plan.first[d] <= first_of(request.stages[s], d));
        REQUIRE(plan.last[d] >= end_of(request.stages[s], d));
      }
      for (const std::int64_t tile : {std::int64_t{0}, plan.tiles[d] / 2, plan.tiles[d] - 1}) {
        if (d == plan.slide) {
          REQUIRE(rows_are_there(request, plan, tile));
        } else {
          REQUIRE(columns_are_there(request, plan, d, tile));
        }
      }
    }
  }
  CHECK(planned > 1500);
}

TEST_CASE("tiles that would reach too far are refused") {
  tile_request request;
  fusion_range range;
  range.global[2] = 100000;
  request.stages = {{range, {}, false}, {range, {{0, {{0, 0, -65}, {0, 0, 0}}}}, true}};
  request.results = {{0, 4}};
  CHECK(plan_tiles(request).refused.find("65 elements") != std::string::npos);
  request.stages[1].reads[0].footprint.low[2] = -64;
  CHECK(plan_tiles(request).refused.empty());
}
