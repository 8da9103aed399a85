#include "row_groups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sinter::passes {
namespace {

using wide = __int128;

// A group has at least fewest_rows rows (the number of lanes of a vector) and at most most_rows. Within these limits,
// the rows of a group have at most most_group_bytes bytes in the memory with the longest rows, so that they fit a
// core's cache.
constexpr std::uint64_t fewest_rows = 16, most_rows = 16, most_group_bytes = 256 * 1024;
// Each thread should get at least this many groups, one after the other.
constexpr std::uint64_t groups_of_thread = 4;
// Rows of at least this many bytes are worth keeping in the cache.
constexpr std::int64_t wide_row = 64, line = 64;

// On GPUs, a group has this number of work-items if the device allows.
constexpr std::uint64_t gpu_group = 256;
// Groups get several rows only if there would otherwise be more groups than a large GPU runs at the same time. So a
// member with a work-item for each row still runs as many work-items at the same time as without fusion.
constexpr std::uint64_t gpu_groups = 1024;
// If a group has at most gpu_local_bytes of local memory, several groups still run on one multiprocessor. A group with
// a single row may have up to most_gpu_local_bytes.
constexpr std::uint64_t gpu_local_bytes = 28 * 1024, most_gpu_local_bytes = 48 * 1024;
// Rows are copied only if members read at least this many elements of each row.
constexpr std::uint64_t fewest_copied = 8;
constexpr std::uint64_t bank_bytes = 4, local_alignment = 16;

unsigned row_dimension(const fusion_range& range) { return 3 - range.dimensions; }
std::uint64_t rows_of(const fusion_range& range) { return range.global[row_dimension(range)]; }

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

/// The number of bytes from row to row in local memory. The pitch is an odd number of banks (or of larger units).
/// Work-items that read the same column of different rows then use different banks, and don't wait for each other.
std::uint64_t local_pitch_of(std::uint64_t bytes, std::uint64_t unit) {
  const std::uint64_t step = std::max(bank_bytes, unit);
  return (round_up(bytes, step) / step | 1) * step;
}

class row_planner {
public:
  row_planner(const decision_request& request, const row_machine& machine)
      : m_request(request), m_machine(machine) {}

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
    wide low = 0, high = 0;     ///< range of the bytes of row 0, as offsets into this memory
    std::string reader, name;   ///< the member and argument of the first access that is in no known row
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
    m_plan.items = m_plan.group = std::clamp(fits, fewest_rows, most_rows);
    m_plan.in_groups = m_machine.in_groups;
    if (m_plan.in_groups) {
      share_rows();
    } else {
      find_stream();
    }
    add_up_traffic();
    return {};
  }

  // --------------------------------------------------------------------------------------------------- GPUs

  /// Chooses the numbers of rows and work-items of a group on a GPU, and the rows that are copied to local memory.
  void share_rows() {
    m_plan.items = m_machine.most_items == 0 ? gpu_group : std::min(gpu_group, m_machine.most_items);
    m_plan.group = std::clamp((m_plan.rows + gpu_groups - 1) / gpu_groups, std::uint64_t{1}, m_plan.items);
    std::map<unsigned, std::uint64_t> row_bytes;  // bytes of local memory for one row of each member
    for (unsigned k = 0; k < m_request.members.size(); ++k) {
      if (size_of(m_request.members[k].range) != m_plan.rows) continue;
      for (const row_groups::copied_rows& each : find_copies(k)) {
        const std::uint64_t all = row_bytes[k] + round_up(each.local_pitch, local_alignment);
        if (all > std::min(most_gpu_local_bytes, m_machine.group_bytes)) continue;
        row_bytes[k] = all;
        m_plan.copies.push_back(each);
      }
    }
    const std::uint64_t usual = std::min(gpu_local_bytes, m_machine.group_bytes);
    for (const auto& [member, bytes] : row_bytes)
      if (bytes != 0) m_plan.group = std::clamp(usual / bytes, std::uint64_t{1}, m_plan.group);
    std::map<unsigned, std::uint64_t> used;
    for (row_groups::copied_rows& each : m_plan.copies) {
      each.place = used[each.member];
      used[each.member] = round_up(each.place + m_plan.group * each.local_pitch, local_alignment);
      m_plan.local_bytes = std::max(m_plan.local_bytes, used[each.member]);
    }
  }

  /// Finds memory that member k only reads. Each work-item must certainly read a whole row of this memory, from the
  /// first to the last byte.
  std::vector<row_groups::copied_rows> find_copies(unsigned k) const {
    struct row {
      bool may_be_copied = true;
      wide low = 0, high = 0;
      std::uint64_t unit = 0, reads = 0;
      std::int64_t pitch = 0;
    };
    const fusion_member& member = m_request.members[k];
    std::set<unsigned> written;  // spaces
    for (const memory_access& access : member.accesses.accesses)
      if (access.kind != access_kind::read) written.insert(pointer_of(k, access.leaf)->space);
    std::map<unsigned, row> leaves;
    for (const memory_access& access : member.accesses.accesses) {
      row& of = leaves[access.leaf];
      const std::int64_t pitch = access.offset.coefficients[variable_global + row_dimension(member.range)];
      const auto bytes = static_cast<std::int64_t>(access.bytes);
      bool fits = access.known && access.certain && access.guards.empty() && pitch > 0 &&
                  (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) &&
                  !written.contains(pointer_of(k, access.leaf)->space);
      wide low = access.offset.constant, high = low + bytes;
      std::uint64_t reads = 1;
      for (unsigned v = 0; v < variable_count; ++v) {
        const std::int64_t by = access.offset.coefficients[v];
        if (by == 0 || v == variable_global + row_dimension(member.range)) continue;
        if (v < variable_loop) {
          fits &= v < variable_global + 3 && member.range.global[v - variable_global] == 1;
          continue;
        }
        fits &= by % bytes == 0 && access.turns[v - variable_loop] != 0;
        reads *= access.turns[v - variable_loop];
        (by < 0 ? low : high) += by * (wide{access.turns[v - variable_loop]} - 1);
      }
      fits = fits && (of.unit == 0 || (of.unit == access.bytes && of.pitch == pitch && (low - of.low) % bytes == 0));
      of.may_be_copied &= fits;
      of.low = of.unit == 0 ? low : std::min(of.low, low);
      of.high = of.unit == 0 ? high : std::max(of.high, high);
      of.unit = access.bytes;
      of.pitch = pitch;
      of.reads += reads;
    }
    std::vector<row_groups::copied_rows> found;
    for (const auto& [leaf, each] : leaves) {
      // Rows of which most elements are not read, such as the columns of a matrix, would only cost memory.
      const wide bytes = each.high - each.low, unit = each.unit;
      if (!each.may_be_copied || each.reads < fewest_copied || bytes > wide{each.reads} * unit) continue;
      if (bytes > wide{most_gpu_local_bytes}) continue;
      const auto size = static_cast<std::uint64_t>(bytes);
      found.push_back({k, leaf, static_cast<std::int64_t>(each.low), each.pitch, size, each.unit, 0,
                       local_pitch_of(size, each.unit)});
    }
    return found;
  }

  // ----------------------------------------------------------------------------------------------- memory

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

  /// Finds memory that only one store accesses. By this store, each work-item has to write its own element, and the
  /// work-items together have to write whole cache lines.
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
        const bool large = 2 * static_cast<std::uint64_t>(to.pitch) * m_plan.rows > m_machine.cache_bytes;
        if (whole && large) found = {k, access.leaf, access.offset.constant};
      }
    }
    // If several stores bypassed the caches, the processor would write incomplete cache lines to memory.
    if (count == 1) m_plan.past_caches = found;
  }

  void add_up_traffic() {
    std::map<unsigned, unsigned> alone;  // how often the members read or write each space if the members run one by one
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
      // A CPU reads a cache line before it writes the line, except for stores that bypass the caches.
      m_plan.traffic += (each.is_written && space != streamed && !m_plan.in_groups ? 2 : 1) * bytes;
    }
  }

  const decision_request& m_request;
  const row_machine m_machine;
  row_groups m_plan;
  std::map<unsigned, memory> m_memories;  ///< by space
};

}  // namespace

row_groups plan_row_groups(const decision_request& request, const row_machine& machine) {
  return row_planner(request, machine).run();
}

bool are_too_few(const row_groups& plan, unsigned threads) {
  return (plan.rows + plan.group - 1) / plan.group < threads;
}

gain_verdict verdict_on_rows(const row_groups& plan, unsigned threads, std::uint64_t cache_bytes) {
  using kind = gain_verdict::kind;
  if (are_too_few(plan, groups_of_thread * threads))
    return {kind::slower, std::to_string(plan.rows) + " rows are too few for " + std::to_string(threads) + " threads"};
  // If the traffic is less than half of the last-level cache, the gain is uncertain: some kernels read their rows from
  // the last-level cache as fast as from a core's own cache, and others do not. The fused kernel of a softmax of 1024
  // columns was 0.7 to 1.3 times as fast as separate kernels (benchmarks/stencils).
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
  range.local[2] = plan.items;
  range.global[2] = (plan.rows + plan.group - 1) / plan.group * plan.items;
  return range;
}

}  // namespace sinter::passes
