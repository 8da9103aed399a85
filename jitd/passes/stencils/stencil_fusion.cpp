#include "stencil_fusion.hpp"

#include <abi/planted_error.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "passes/optional_steps.hpp"
#include "stage_function.hpp"
#include "whole_elements.hpp"

namespace sinter::passes {
namespace {

// Bytes of a row.
constexpr std::uint64_t shortest_stream = 4096;

class stencil_planner {
public:
  stencil_planner(const std::vector<stencil_member>& members, const decision_request& request,
                  const tile_machine& machine)
      : m_members(members), m_request(request), m_cache_bytes(machine.cache_bytes) {
    m_result.request.threads = machine.threads;
    m_result.request.in_groups = machine.in_groups;
  }

  stencil_fusion run() {
    m_result.refused = find();
    return std::move(m_result);
  }

private:
  struct memory {
    element_layout layout;
    std::int64_t end = 0;  ///< of what is written of an element, from the start of the space
    bool lives_on = false;
    std::vector<unsigned> writers;
    std::string name;
  };
  struct read_in_place {
    unsigned member;
    unsigned space;
    reach footprint;
  };

  std::string named(unsigned member) const { return "'" + m_request.members[member].name + "'"; }

  const fusion_pointer* pointer_of(unsigned member, unsigned leaf) const {
    for (const fusion_pointer& each : m_request.pointers) {
      if (each.argument.member == member && each.argument.offset == leaf && each.space != 0) return &each;
    }
    return nullptr;
  }

  std::string find() {
    for (unsigned k = 0; k < m_members.size(); ++k) {
      if (std::string why = check_member(k); !why.empty()) return named(k) + " " + why;
    }
    for (unsigned k = 0; k < m_members.size(); ++k) {
      if (std::string why = analyse(k); !why.empty()) return named(k) + ": " + why;
    }
    if (std::string why = check_layouts(); !why.empty()) return why;
    for (unsigned k = 0; k < m_members.size(); ++k) {
      if (std::string why = place(k); !why.empty()) return why;
    }
    keep_last_results();
    for (unsigned k = 0; k < m_members.size() && m_result.no_rows.empty(); ++k) {
      if (const std::string why = why_no_plain_row(*m_members[k].kernel); !why.empty())
        m_result.no_rows = named(k) + " has " + why;
    }
    m_result.request.rows_are_loops = m_result.no_rows.empty() && !m_result.request.in_groups;
    m_result.plan = plan_tiles(m_result.request);
    if (!m_result.plan.refused.empty()) return m_result.plan.refused;
    if (std::string why = check_reads_in_place(); !why.empty()) return why;
    finish();
    return {};
  }

  /// The runtime may take buffers for forgotten that turn out to live on: if no result seems to be read later, the
  /// results that no member reads are kept.
  void keep_last_results() {
    std::vector<stage>& stages = m_result.request.stages;
    if (std::any_of(stages.begin(), stages.end(), [](const stage& each) { return each.lives_on; })) return;
    for (auto& [space, to] : m_memories) {
      const unsigned last = to.writers.back();
      if (m_results.contains({last, space})) continue;
      to.lives_on = stages[last].lives_on = true;
      for (const unsigned writer : to.writers) stages[writer].lives_on = true;
      for (unsigned k = 0; k < stages.size(); ++k) {
        for (placed_access& each : m_result.stages[k].accesses)
          each.in_memory |= each.access.is_write && pointer_of(k, each.access.leaf)->space == space;
      }
    }
  }

  // ------------------------------------------------------------------------------------------------- members

  std::string check_member(unsigned k) {
    const fusion_member& member = m_request.members[k];
    if (has_groups(member.range)) return "has work-groups, and tiles take work-items of ranges alone";
    if (member.accesses.has_barrier || member.accesses.is_collective) return "waits for other work-items";
    if (!member.accesses.unknown_effect.empty())
      return "does " + member.accesses.unknown_effect + ", which tiles would repeat";
    for (const memory_access& access : member.accesses.accesses) {
      if (access.kind == access_kind::update) return "does an atomic operation, which tiles would repeat";
      const fusion_pointer* pointer = access.leaf == no_leaf ? nullptr : pointer_of(k, access.leaf);
      if (!pointer) return "accesses memory of which nobody knows where it ends";
      if (access.kind == access_kind::write) m_memories[pointer->space].name = pointer->name;
    }
    return {};
  }

  std::string analyse(unsigned k) {
    const fusion_range& range = m_request.members[k].range;
    llvm::Function& kernel = *m_members[k].kernel;
    specialize_for_launch(kernel, range, m_members[k].known);
    load_whole_elements(kernel, [&](std::int64_t place) -> std::uint64_t {
      const fusion_pointer* pointer = place < 0 ? nullptr : pointer_of(k, static_cast<unsigned>(place));
      const bool is_accessor = pointer && pointer->elements != 0;
      return is_accessor && !m_memories.contains(pointer->space) ? pointer->element_bytes : 0;
    });
    auto& analysis = *m_analyses.emplace_back(std::make_unique<stencil_analysis>(kernel, range));
    const auto is_written = [&](unsigned leaf) {
      const fusion_pointer* pointer = pointer_of(k, leaf);
      return !pointer || m_memories.contains(pointer->space);
    };
    if (std::string why = analysis.collect(is_written); !why.empty()) return why;
    for (stencil_access& access : analysis.accesses()) {
      const fusion_pointer* pointer = pointer_of(k, access.leaf);
      if (!pointer) return "accesses memory of which nobody knows where it ends";
      access.constant += pointer->base;  // from the start of the space from now on
      if (!access.is_write) continue;
      memory& to = m_memories[pointer->space];
      element_layout layout;
      if (std::string why = analysis.find_layout(access, layout); !why.empty()) {
        return why + describe(*pointer);
      }
      const std::int64_t end = layout.base + static_cast<std::int64_t>(access.bytes);
      if (to.writers.empty()) {
        to.layout = layout;
        to.end = end;
      } else {
        for (unsigned d = 0; d < 3; ++d) {
          if (to.layout.step[d] != layout.step[d])
            return "its elements lie differently from another kernel's" + describe(*pointer);
        }
        to.layout.base = std::min(to.layout.base, layout.base);
        to.end = std::max(to.end, end);
      }
      if (to.writers.empty() || to.writers.back() != k) to.writers.push_back(k);
    }
    return {};
  }

  static std::string describe(const fusion_pointer& pointer) { return " (" + pointer.name + ")"; }

  std::string check_layouts() {
    for (auto& [space, to] : m_memories) {
      if (to.end - to.layout.base > to.layout.element_bytes) {
        return "kernels write different elements of " + to.name + " in the same work-item";
      }
      for (const fusion_pointer& pointer : m_request.pointers) {
        if (pointer.space != space) continue;
        to.lives_on |= !pointer.unobservable && pointer.requested == promotion::none;
      }
      // All work-items that may touch it have elements of their own.
      std::int64_t begin[3], end[3];
      for (std::size_t i = 0; i < to.writers.size(); ++i) {
        const fusion_range& range = m_request.members[to.writers[i]].range;
        for (unsigned d = 0; d < 3; ++d) {
          const auto low = static_cast<std::int64_t>(range.offset[d]);
          const auto high = low + static_cast<std::int64_t>(range.global[d]);
          begin[d] = i == 0 ? low : std::min(begin[d], low);
          end[d] = i == 0 ? high : std::max(end[d], high);
        }
      }
      std::int64_t faster = 0;
      for (unsigned d = 3; d-- > 0;) {
        if (to.layout.step[d] == 0) {
          if (end[d] - begin[d] > 1) return "kernels of different ranges write " + to.name;
          continue;
        }
        if (to.layout.step[d] < faster) return "rows of " + to.name + " overlap";
        faster = to.layout.step[d] * (end[d] - begin[d]);
      }
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------------- accesses

  /// Results are pairs of a member and a space that it writes.
  int result_of(unsigned writer, unsigned space) {
    auto [known, inserted] = m_results.insert({{writer, space}, static_cast<int>(m_result.request.results.size())});
    if (inserted) {
      const element_layout& layout = m_memories[space].layout;
      m_result.request.results.push_back({writer, static_cast<std::uint64_t>(layout.element_bytes)});
      m_result.layouts.push_back(layout);
    }
    return known->second;
  }

  std::string place(unsigned k) {
    stencil_analysis& analysis = *m_analyses[k];
    stencil_fusion::stage_code code{m_members[k].kernel, m_request.members[k].range, {}};
    stage numbers{code.range, {}, false};
    for (stencil_access& access : analysis.accesses()) {
      const fusion_pointer& pointer = *pointer_of(k, access.leaf);
      memory& of = m_memories[pointer.space];
      if (std::string why = analysis.place(access, of.layout); !why.empty()) {
        return named(k) + (access.is_write ? " writes " : " reads ") + pointer.name + ", and " + why;
      }
      placed_access placed{access, pointer.space};
      if (access.is_write) {
        placed.in_memory = of.lives_on;
        numbers.lives_on |= of.lives_on;
        code.accesses.push_back(std::move(placed));
        continue;
      }
      for (const stencil_access& write : analysis.accesses()) {
        if (!write.is_write || pointer_of(k, write.leaf)->space != pointer.space) continue;
        if (analysis.may_follow(*access.instruction, *write.instruction))
          return named(k) + " reads what it has just written (" + pointer.name + ")";
      }
      const auto behind = std::lower_bound(of.writers.begin(), of.writers.end(), k);
      if (behind == of.writers.begin()) {
        m_in_place.push_back({k, pointer.space, access.footprint});
        code.accesses.push_back(std::move(placed));
        continue;
      }
      const unsigned writer = *std::prev(behind);
      m_result.reads_around |= access.footprint != reach{};
      if (std::string why = check_read(k, access, pointer, writer); !why.empty()) return why;
      placed.buffer = result_of(writer, pointer.space);
      placed.in_memory = false;
      add_read(numbers.reads, static_cast<unsigned>(placed.buffer), access.footprint);
      code.accesses.push_back(std::move(placed));
    }
    m_result.stages.push_back(std::move(code));
    m_result.request.stages.push_back(std::move(numbers));
    return {};
  }

  static void add_read(std::vector<stage_read>& reads, unsigned result, const reach& footprint) {
    for (stage_read& known : reads) {
      if (known.result != result) continue;
      for (unsigned d = 0; d < 3; ++d) {
        known.footprint.low[d] = std::min(known.footprint.low[d], footprint.low[d]);
        known.footprint.high[d] = std::max(known.footprint.high[d], footprint.high[d]);
      }
      return;
    }
    reads.push_back({result, footprint});
  }

  /// Whether the writer has certainly written all that may be read.
  std::string check_read(unsigned k, const stencil_access& read, const fusion_pointer& pointer, unsigned writer) {
    const std::string what = named(k) + " reads " + pointer.name + " where " + named(writer) + " ";
    const fusion_range& range = m_request.members[writer].range;
    const element_layout& layout = m_memories[pointer.space].layout;
    for (unsigned d = 0; d < 3; ++d) {
      const auto first = static_cast<std::int64_t>(range.offset[d]);
      const auto last = first + static_cast<std::int64_t>(range.global[d]) - 1;
      if (layout.step[d] != 0 && (read.least[d] < first || read.most[d] > last)) {
        return what + "writes nothing: indices from " + std::to_string(read.least[d]) + " to " +
               std::to_string(read.most[d]) + " along dimension " +
               std::to_string(d - (3 - m_request.members[k].range.dimensions)) + ", of elements " +
               std::to_string(first) + " to " + std::to_string(last);
      }
    }
    for (unsigned d = 0; d < 3; ++d) {
      const std::int64_t most = std::max(-read.footprint.low[d], read.footprint.high[d]);
      if (layout.step[d] == 0 || most <= longest_reach) continue;
      return named(k) + " reads " + pointer.name + " up to " + std::to_string(most) +
             " elements from its own, as at periodic borders, and tiles reach " + std::to_string(longest_reach);
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    for (const placed_access& write : m_result.stages[writer].accesses) {
      if (!write.access.is_write || pointer_of(writer, write.access.leaf)->space != pointer.space) continue;
      if (!m_analyses[writer]->is_certain(*write.access.instruction)) {
        return what + "writes only under conditions";
      }
      written.push_back({write.access.within, write.access.within + write.access.bytes});
    }
    std::sort(written.begin(), written.end());
    std::uint64_t at = read.within;
    for (const auto& [first, last] : written) {
      if (first <= at) at = std::max(at, last);
    }
    return at >= read.within + read.bytes ? "" : what + "writes only a part of an element";
  }

  /// Memory that the list overwrites is read by its owner alone, before.
  std::string check_reads_in_place() {
    for (const read_in_place& each : m_in_place) {
      const auto& placed = m_result.plan.stages[each.member];
      if (!placed.needed) continue;
      if (each.footprint == reach{} && placed.halo == reach{}) continue;
      if (abi::is_planted("tiles_read_overwritten")) continue;
      const memory& of = m_memories[each.space];
      if (!of.lives_on) continue;
      return named(each.member) + " reads around its work-item what " + named(of.writers.front()) + " overwrites (" +
             of.name + "): another tile may have been there before";
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------------- result

  bool is_read_in_memory(unsigned space) const {
    for (const auto& stage : m_result.stages) {
      for (const placed_access& each : stage.accesses) {
        if (!each.access.is_write && each.buffer < 0 && each.space == space) return true;
      }
    }
    return false;
  }

  /// Several in turns would leave the processor in parts of lines.
  void find_stream() {
    if (!m_result.request.rows_are_loops || !may_run(optional_step::streaming_stores)) return;
    unsigned count = 0;
    std::optional<stencil_fusion::stream> found;
    for (unsigned s = 0; s < m_result.stages.size(); ++s) {
      if (!m_result.plan.stages[s].needed) continue;
      const auto& accesses = m_result.stages[s].accesses;
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        const placed_access& write = accesses[i];
        if (!write.access.is_write || !write.in_memory) continue;
        ++count;
        const element_layout& layout = m_memories[write.space].layout;
        const std::uint64_t bytes = write.access.bytes;
        const bool whole = layout.step[m_result.plan.lanes] == layout.element_bytes &&
                           bytes == static_cast<std::uint64_t>(layout.element_bytes) && bytes <= 8 &&
                           (bytes & (bytes - 1)) == 0;
        // The ends of a row are no whole lines, and the caches would have to read again what has just gone past them.
        const auto lanes = static_cast<std::uint64_t>(m_result.plan.tile[m_result.plan.lanes]);
        const bool is_long = bytes * lanes >= shortest_stream;
        // Its input is as large, mostly.
        const bool large = 2 * bytes * size_of(m_result.stages[s].range) > m_cache_bytes;
        if (!whole || !large || !is_long || is_read_in_memory(write.space) || m_result.plan.stages[s].halo != reach{} ||
            !m_analyses[s]->is_certain(*write.access.instruction))
          continue;
        found = {s, i, layout.base - pointer_of(s, write.access.leaf)->base, layout};
      }
    }
    if (count == 1) m_result.past_caches = found;
  }

  void finish() {
    find_stream();
    const bool has_inner_forms = m_result.request.rows_are_loops || m_result.request.in_groups;
    for (std::size_t s = 0; has_inner_forms && s < m_analyses.size(); ++s) {
      for (unsigned d = 0; d < 3; ++d) m_result.stages[s].inner[d] = m_analyses[s]->find_inner(d);
    }
    for (auto& [key, result] : m_results) {
      const auto& [writer, space] = key;
      for (placed_access& access : m_result.stages[writer].accesses) {
        if (access.access.is_write && pointer_of(writer, access.access.leaf)->space == space) access.buffer = result;
      }
      const std::uint64_t bytes = m_result.request.results[static_cast<std::size_t>(result)].element_bytes *
                                  size_of(m_request.members[writer].range);
      // Readers find the values in local memory; if no other command reads them, they are not written to global memory.
      m_result.saved_bytes += m_memories[space].lives_on ? bytes : 2 * bytes;
      const auto& buffer = m_result.plan.buffers[static_cast<std::size_t>(result)];
      const std::string place = buffer.is_value ? "a work-item's own memory" : "local memory";
      m_result.notes.push_back(
          {"tiles",
           m_memories[space].name +
               (m_memories[space].lives_on ? " is kept in " + place + " as well, " : " moves to " + place + ", ") +
               std::to_string(buffer.bytes) + " bytes",
           {{"bytes", static_cast<std::uint64_t>(buffer.bytes)}}});
    }
    const tile_plan& plan = m_result.plan;
    std::string sizes;
    for (unsigned d = 0; d < 3; ++d) {
      if (plan.last[d] - plan.first[d] > 1) sizes += (sizes.empty() ? "" : " x ") + std::to_string(plan.tile[d]);
    }
    char share[32];
    std::snprintf(share, sizeof(share), "%.1f", 100 * plan.recomputed);
    m_result.notes.push_back({"tiles", "of " + sizes + " work-items, computed again: " + share + " %"});
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      const auto& placed = plan.stages[s];
      const std::string label = named(static_cast<unsigned>(s));
      if (!placed.needed) {
        m_result.notes.push_back({"stage", label + " is left out: nobody looks at what it does"});
        continue;
      }
      std::string around;
      for (unsigned d = 0; d < 3; ++d) {
        if (plan.last[d] - plan.first[d] > 1) {
          around += (around.empty() ? "" : ", ") + std::to_string(-placed.halo.low[d]) + " before and " +
                    std::to_string(placed.halo.high[d]) + " behind";
        }
      }
      m_result.notes.push_back({"stage", label + (placed.halo == reach{} ? ": its tile" : ": its tile and " + around)});
    }
  }

  const std::vector<stencil_member>& m_members;
  const decision_request& m_request;
  const std::uint64_t m_cache_bytes;
  std::vector<std::unique_ptr<stencil_analysis>> m_analyses;
  std::map<unsigned, memory> m_memories;  ///< spaces that members write
  std::map<std::pair<unsigned, unsigned>, int> m_results;
  std::vector<read_in_place> m_in_place;
  stencil_fusion m_result;
};

}  // namespace

stencil_fusion plan_stencils(const std::vector<stencil_member>& members, const decision_request& request,
                             const tile_machine& machine) {
  return stencil_planner(members, request, machine).run();
}

fusion_range range_of_tiles(const tile_plan& plan) {
  fusion_range range;
  range.dimensions = 3;
  std::uint64_t count[3] = {1, 1, 1};
  if (plan.slide < 3) count[0] = static_cast<std::uint64_t>(plan.tiles[plan.slide]);
  if (plan.middle < 3) count[1] = static_cast<std::uint64_t>(plan.tiles[plan.middle]);
  count[2] = static_cast<std::uint64_t>(plan.tiles[plan.lanes]);
  const auto group = static_cast<std::uint64_t>(plan.group);
  for (unsigned d = 0; d < 3; ++d) {
    range.local[d] = d == 2 ? group : 1;
    range.global[d] = count[d] * range.local[d];
  }
  return range;
}

}  // namespace sinter::passes
