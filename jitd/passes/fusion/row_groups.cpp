#include "row_groups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sinter::passes {
namespace {

using wide = __int128;

// A group has at least as many rows as vectors have lanes. It gets more rows as long as its rows of the widest memory
// have at most this number of bytes, which fit a core's cache.
constexpr std::uint64_t fewest_rows = 16, most_rows = 16, most_group_bytes = 256 * 1024;
// Each thread should get at least this many groups, one after the other.
constexpr std::uint64_t groups_of_thread = 4;
// Rows of at least this many bytes are worth keeping in the cache.
constexpr std::int64_t wide_row = 64, line = 64;

unsigned row_dimension(const fusion_range& range) { return 3 - range.dimensions; }
std::uint64_t rows_of(const fusion_range& range) { return range.global[row_dimension(range)]; }

class row_planner {
public:
  row_planner(const decision_request& request, std::uint64_t cache_bytes)
      : m_request(request), m_cache_bytes(cache_bytes) {}

  row_groups run() {
    m_plan.rows = rows_of(m_request.members.front().range);
    const auto& members = m_request.members;
    const auto any = [&](const auto& holds) { return std::any_of(members.begin(), members.end(), holds); };
    m_plan.is_of_rows = m_plan.rows > 1 &&
                        any([&](const fusion_member& each) { return size_of(each.range) == m_plan.rows; }) &&
                        any([&](const fusion_member& each) { return size_of(each.range) != m_plan.rows; });
    m_plan.refused = find();
    return std::move(m_plan);
  }

private:
  /// Memory that is written, or that several members use.
  struct memory {
    bool is_written = false;
    bool is_known = true;       ///< whether the addresses of all accesses are known
    std::int64_t pitch = 0;     ///< bytes from row to row; 0 if not known yet
    wide low = 0, high = 0;     ///< range of the bytes of row 0, from the start of the space
    std::string reader, name;   ///< names for the first access with an unknown address or another pitch
    unsigned accesses = 0;
  };

  std::string find() {
    for (const fusion_member& each : m_request.members) {
      const std::string name = "'" + each.name + "' ";
      if (has_groups(each.range)) return name + "has work-groups";
      if (rows_of(each.range) != m_plan.rows)
        return name + "has " + std::to_string(rows_of(each.range)) + " rows, not " + std::to_string(m_plan.rows);
      if (std::any_of(each.range.offset, each.range.offset + 3, [](std::uint64_t at) { return at != 0; }))
        return name + "has an offset";
      if (each.accesses.has_barrier || each.accesses.is_collective) return name + "waits for other work-items";
      if (!each.accesses.unknown_effect.empty()) return name + "does " + each.accesses.unknown_effect;
    }
    for (unsigned k = 0; k < m_request.members.size(); ++k) {
      for (const memory_access& access : m_request.members[k].accesses.accesses) {
        const fusion_pointer* pointer = pointer_of(k, access.leaf);
        if (!pointer || access.kind == access_kind::update) {
          return "'" + m_request.members[k].name +
                 (pointer ? "' does atomic operations" : "' accesses memory of which nobody knows where it ends");
        }
        add(k, access, *pointer);
      }
    }
    std::int64_t widest = 1;
    for (const auto& [space, each] : m_memories) {
      if (each.is_written && !each.is_known)
        return each.reader + " accesses " + each.name + ", and not in the row of its work-item alone";
      if (each.is_written && each.high - each.low > each.pitch)
        return "rows of " + each.name + " overlap";
      if (!each.is_known || each.pitch < wide_row) continue;
      widest = std::max(widest, each.pitch);
    }
    const std::uint64_t fits = most_group_bytes / static_cast<std::uint64_t>(widest) / fewest_rows * fewest_rows;
    m_plan.group = std::clamp(fits, fewest_rows, most_rows);
    find_stream();
    add_up_traffic();
    return {};
  }

  const fusion_pointer* pointer_of(unsigned member, unsigned leaf) const {
    for (const fusion_pointer& each : m_request.pointers) {
      const bool is_it = each.argument.member == member && each.argument.offset == leaf;
      if (is_it && each.space != 0) return &each;
    }
    return nullptr;
  }

  void add(unsigned k, const memory_access& access, const fusion_pointer& pointer) {
    memory& of = m_memories[pointer.space];
    ++of.accesses;
    of.is_written |= access.kind == access_kind::write;
    const fusion_range& range = m_request.members[k].range;
    const std::int64_t pitch = access.offset.coefficients[variable_global + row_dimension(range)];
    wide low = pointer.base + wide{access.offset.constant}, high = low + access.bytes;
    bool fits = access.known && pitch > 0 && (of.pitch == 0 || of.pitch == pitch);
    for (unsigned v = 0; v < variable_count; ++v) {
      const std::int64_t by = access.offset.coefficients[v];
      if (by == 0 || v == variable_global + row_dimension(range)) continue;
      const bool is_id = v < variable_global + 3, is_turn = v >= variable_loop;
      const wide last = is_id     ? wide{range.global[v - variable_global]} - 1
                        : is_turn ? wide{access.turns[v - variable_loop]} - 1
                                  : 0;
      fits &= is_id || is_turn;
      (by < 0 ? low : high) += by * last;
    }
    if (!fits) {
      if (of.is_known) of.reader = "'" + m_request.members[k].name + "'", of.name = pointer.name;
      of.is_known = false;
      return;
    }
    of.low = of.pitch == 0 ? low : std::min(of.low, low);
    of.high = of.pitch == 0 ? high : std::max(of.high, high);
    of.pitch = pitch;
    if (of.name.empty()) of.name = pointer.name;
  }

  /// Finds memory that only one store accesses. Each work-item writes its own element, and cache lines are written
  /// completely.
  void find_stream() {
    unsigned count = 0;
    std::optional<row_groups::stream> found;
    for (unsigned k = 0; k < m_request.members.size(); ++k) {
      const fusion_range& range = m_request.members[k].range;
      for (const memory_access& access : m_request.members[k].accesses.accesses) {
        const fusion_pointer& pointer = *pointer_of(k, access.leaf);
        const memory& to = m_memories[pointer.space];
        if (access.kind != access_kind::write || to.pitch < wide_row) continue;
        ++count;
        const auto& by = access.offset.coefficients;
        bool whole = access.certain && access.guards.empty() && to.accesses == 1 && to.pitch % line == 0 &&
                     size_of(range) != m_plan.rows && range.global[2] % m_plan.group == 0 &&
                     by[variable_global + 2] == static_cast<std::int64_t>(access.bytes) &&
                     (access.bytes == 4 || access.bytes == 8);
        for (unsigned v = 0; v < variable_count; ++v) whole &= v == variable_global + 2 || by[v] % line == 0;
        for (unsigned v = variable_loop; v < variable_count; ++v) whole &= by[v] == 0;
        const bool large = 2 * static_cast<std::uint64_t>(to.pitch) * m_plan.rows > m_cache_bytes;
        if (whole && large) found = {k, access.leaf, access.offset.constant};
      }
    }
    // With several such stores, the processor would write incomplete cache lines to memory.
    if (count == 1) m_plan.past_caches = found;
  }

  void add_up_traffic() {
    std::map<unsigned, unsigned> alone;  // how often the members read or write each space if they run one by one
    for (unsigned k = 0; k < m_request.members.size(); ++k) {
      std::set<std::pair<unsigned, access_kind>> seen;
      for (const memory_access& access : m_request.members[k].accesses.accesses) {
        const unsigned space = pointer_of(k, access.leaf)->space;
        if (seen.insert({space, access.kind}).second) ++alone[space];
      }
    }
    const auto& stream = m_plan.past_caches;
    const unsigned streamed = stream ? pointer_of(stream->member, stream->leaf)->space : 0;
    for (const auto& [space, each] : m_memories) {
      if (!each.is_known || each.pitch < wide_row) continue;
      const std::uint64_t bytes = static_cast<std::uint64_t>(each.pitch) * m_plan.rows;
      m_plan.traffic_alone += alone[space] * bytes;
      // The processor reads a line before it writes it, except for stores past the caches.
      m_plan.traffic += (each.is_written && space != streamed ? 2 : 1) * bytes;
    }
  }

  const decision_request& m_request;
  const std::uint64_t m_cache_bytes;
  row_groups m_plan;
  std::map<unsigned, memory> m_memories;  ///< by space
};

}  // namespace

row_groups plan_row_groups(const decision_request& request, std::uint64_t cache_bytes) {
  return row_planner(request, cache_bytes).run();
}

bool are_too_few(const row_groups& plan, unsigned threads) {
  return (plan.rows + plan.group - 1) / plan.group < threads;
}

gain_verdict verdict_on_rows(const row_groups& plan, unsigned threads, std::uint64_t cache_bytes) {
  using kind = gain_verdict::kind;
  if (are_too_few(plan, groups_of_thread * threads))
    return {kind::slower, std::to_string(plan.rows) + " rows are too few for " + std::to_string(threads) + " threads"};
  // Some kernels read their rows from the last-level cache as fast as from a core's own cache, others do not:
  // the fused kernel of a softmax of 1024 columns was 0.7 to 1.3 times as fast (benchmarks/stencils).
  if (2 * plan.traffic < cache_bytes) {
    return {64 * plan.traffic < cache_bytes ? kind::slower : kind::unlikely,
            "the caches hold all data, " + std::to_string(plan.traffic / 1024) + " KiB"};
  }
  const std::string text = std::to_string(plan.traffic_alone / 1024) + " KiB of memory traffic would become " +
                           std::to_string(plan.traffic / 1024);
  return {2 * plan.traffic_alone < 3 * plan.traffic ? kind::unlikely : kind::likely, text};
}

fusion_range range_of_rows(const row_groups& plan) {
  fusion_range range;
  range.dimensions = 3;
  for (unsigned d = 0; d < 3; ++d) range.local[d] = range.global[d] = 1;
  range.local[2] = plan.group;
  range.global[2] = (plan.rows + plan.group - 1) / plan.group * plan.group;
  return range;
}

}  // namespace sinter::passes
