#include "stencil_fusion.hpp"

#include <abi/planted_error.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "guarded_ids.hpp"
#include "left_groups.hpp"
#include "memory_planes.hpp"
#include "passes/optional_steps.hpp"
#include "run_function.hpp"
#include "stage_function.hpp"
#include "whole_elements.hpp"

namespace sinter::passes {
namespace {

// The least number of bytes in a row for which stores bypass the caches.
constexpr std::uint64_t shortest_stream = 4096;

class stencil_planner {
public:
  stencil_planner(const std::vector<stencil_member>& members, const decision_request& request,
                  const tile_machine& machine, bool last_runs_behind)
      : m_members(members),
        m_request(request),
        m_count(static_cast<unsigned>(members.size()) - (last_runs_behind ? 1 : 0)),
        m_cache_bytes(machine.cache_bytes) {
    m_result.request.threads = machine.threads;
    m_result.request.in_groups = machine.in_groups;
    m_result.request.group_bytes = machine.group_bytes;
    m_result.request.most_items = machine.most_items;
    if (!members.empty() && members.back().runs != 0)
      m_result.request.runs = {size_of(request.members.back().range), members.back().runs};
    for (const fusion_member& each : request.members) m_ranges.push_back(each.range);
  }

  stencil_fusion run() {
    m_result.refused = find();
    return std::move(m_result);
  }

private:
  /// Elements that members write: all written elements of a space, or one of several separate planes in the space.
  struct memory {
    unsigned space;
    element_layout layout;
    std::int64_t end;  ///< end of the first element's written bytes, from the start of the space
    bool lives_on = false;
    std::vector<unsigned> writers{};
    id_box ids{};  ///< the ids of all work-items that may write the memory
  };
  struct found_write {
    unsigned member;
    std::size_t access;
    unsigned space;
    element_layout layout;
    std::int64_t bytes;
    std::int64_t end() const { return layout.base + bytes; }
  };
  struct read_in_place {
    unsigned member;
    unsigned memory;
    reach footprint;
  };

  bool visits(unsigned member) const { return m_members[member].runs != 0; }
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
    if (std::string why = find_memories(); !why.empty()) return why;
    for (memory& each : m_memories) {
      if (std::string why = check_layout(each); !why.empty()) return why;
    }
    if (std::string why = check_planes(); !why.empty()) return why;
    if (m_count < m_members.size()) {
      if (std::string why = find_reads_behind(m_count); !why.empty()) return why;
    }
    for (unsigned k = 0; k < m_count; ++k) {
      if (std::string why = place(k); !why.empty()) return why;
    }
    keep_last_results();
    const auto& stages = m_result.request.stages;
    // If a member runs after the tiles, tiles make sense only if the result of some stage lives on.
    if (m_count < m_members.size() &&
        std::none_of(stages.begin(), stages.end(), [](const stage& each) { return each.lives_on; }))
      return named(m_count) + " overwrites all that the others write";
    for (unsigned k = 0; k < m_count && m_result.no_rows.empty(); ++k) {
      if (visits(k)) continue;
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

  /// The runtime can only guess whether a later command reads a buffer. If it seems that no later command reads any
  /// result, the results that no member reads are written to memory nevertheless, because the list would otherwise do
  /// nothing.
  void keep_last_results() {
    std::vector<stage>& stages = m_result.request.stages;
    if (std::any_of(stages.begin(), stages.end(), [](const stage& each) { return each.lives_on; })) return;
    for (unsigned m = 0; m < m_memories.size(); ++m) {
      memory& to = m_memories[m];
      const unsigned last = to.writers.back();
      if (last >= m_count || m_results.contains({last, m})) continue;
      to.lives_on = stages[last].lives_on = true;
      for (const unsigned writer : to.writers) stages[writer].lives_on = true;
      for (auto& stage : m_result.stages) {
        for (placed_access& each : stage.accesses) each.in_memory |= each.access.is_write && each.memory == m;
      }
    }
  }

  // ------------------------------------------------------------------------------------------------- members

  /// Checks a member that visits elements. Besides visiting elements, such a member writes partial sums and the result.
  /// No tile may access the memory of the partial sums and the result, because tiles would change the order of
  /// accesses.
  std::string check_visitor(unsigned k) const {
    const fusion_member& member = m_request.members[k];
    if (!member.accesses.unknown_effect.empty()) return "does " + member.accesses.unknown_effect;
    for (const memory_access& access : member.accesses.accesses) {
      const fusion_pointer* pointer = access.leaf == no_leaf ? nullptr : pointer_of(k, access.leaf);
      if (!pointer) return "accesses memory of which nobody knows where it ends";
      if (access.kind == access_kind::read) continue;
      for (const fusion_pointer& other : m_request.pointers) {
        if (other.argument.member != k && other.space == pointer->space)
          return "writes " + pointer->name + ", which another kernel of the list uses";
      }
    }
    return {};
  }

  std::string check_member(unsigned k) {
    if (visits(k)) return check_visitor(k);
    const fusion_member& member = m_request.members[k];
    if (has_groups(member.range)) return "needs its work-groups, and tiles take work-items of ranges alone";
    if (member.accesses.has_barrier || member.accesses.is_collective) return "waits for other work-items";
    if (!member.accesses.unknown_effect.empty())
      return "does " + member.accesses.unknown_effect + ", which tiles would repeat";
    for (const memory_access& access : member.accesses.accesses) {
      if (access.kind == access_kind::update) return "does an atomic operation, which tiles would repeat";
      const fusion_pointer* pointer = access.leaf == no_leaf ? nullptr : pointer_of(k, access.leaf);
      if (!pointer) return "accesses memory of which nobody knows where it ends";
      if (access.kind == access_kind::write) m_written[pointer->space] = pointer->name;
    }
    return {};
  }

  std::string analyse(unsigned k) {
    const fusion_range& range = m_ranges[k];
    llvm::Function& kernel = *m_members[k].kernel;
    // Once some numbers are constants, further numbers may become known, such as the length of a dimension that is an
    // argument itself.
    std::size_t count = 0;
    for (auto known = m_members[k].known(kernel); count == 0 || known.size() + 1 > count;
         known = m_members[k].known(kernel)) {
      count = known.size() + 1;
      visits(k) ? specialize_visits(kernel, known) : specialize_for_launch(kernel, range, known);
    }
    if (visits(k)) return analyse_visits(k);
    if (m_members[k].left_groups) simplify_group_ids(kernel);
    leave_out_idle_ids(k);
    load_whole_elements(kernel, [&](std::int64_t place) -> std::uint64_t {
      const fusion_pointer* pointer = place < 0 ? nullptr : pointer_of(k, static_cast<unsigned>(place));
      const bool is_accessor = pointer && pointer->elements != 0;
      return is_accessor && !m_written.contains(pointer->space) ? pointer->element_bytes : 0;
    });
    auto& analysis = *m_analyses.emplace_back(std::make_unique<stencil_analysis>(kernel, range));
    const auto is_written = [&](unsigned leaf) {
      const fusion_pointer* pointer = pointer_of(k, leaf);
      return !pointer || m_written.contains(pointer->space);
    };
    if (std::string why = analysis.collect(is_written); !why.empty()) return why;
    for (std::size_t i = 0; i < analysis.accesses().size(); ++i) {
      stencil_access& access = analysis.accesses()[i];
      const fusion_pointer* pointer = pointer_of(k, access.leaf);
      if (!pointer) return "accesses memory of which nobody knows where it ends";
      access.constant += pointer->base;  // from here on, the constant counts from the start of the space
      if (!access.is_write) continue;
      element_layout layout;
      if (std::string why = analysis.find_layout(access, layout); !why.empty())
        return why + " (" + pointer->name + ")";
      m_writes.push_back({k, i, pointer->space, layout, static_cast<std::int64_t>(access.bytes)});
    }
    return {};
  }

  /// If conditions on ids leave work-items without effects, the stage has only the ids of the other work-items.
  void leave_out_idle_ids(unsigned k) {
    const fusion_range all = m_ranges[k];
    m_ranges[k] = ids_with_effects(*m_members[k].kernel, all);
    if (std::equal(all.global, all.global + 3, m_ranges[k].global)) return;
    forget_ranges_of_ids(*m_members[k].kernel);
    specialize_for_launch(*m_members[k].kernel, m_ranges[k], m_members[k].known(*m_members[k].kernel));
  }

  /// Analyses a kernel that visits elements, by its element_view. Each access of the kernel must also be in the view.
  std::string analyse_visits(unsigned k) {
    const fusion_range& range = m_ranges[k];
    llvm::Function& kernel = *m_members[k].kernel;
    m_view = std::make_unique<element_view>(kernel, range);
    auto& analysis = *m_analyses.emplace_back(std::make_unique<stencil_analysis>(m_view->function(), range));
    const auto is_written = [&](unsigned leaf) {
      const fusion_pointer* pointer = pointer_of(k, leaf);
      return !pointer || m_written.contains(pointer->space);
    };
    if (std::string why = analysis.collect(is_written, atomics::elsewhere); !why.empty()) return why;
    stencil_analysis whole(kernel, range);
    if (std::string why = whole.collect(is_written, atomics::elsewhere); !why.empty()) return why;
    for (const stencil_access& access : whole.accesses()) {
      const bool is_seen = std::any_of(analysis.accesses().begin(), analysis.accesses().end(), [&](const auto& each) {
        return m_view->original(each.instruction) == access.instruction;
      });
      if (!is_seen) return "it accesses results of other kernels outside of its elements";
    }
    for (stencil_access& access : analysis.accesses()) {
      const fusion_pointer* pointer = pointer_of(k, access.leaf);
      if (!pointer || access.is_write) return "accesses memory of which nobody knows where it ends";
      access.constant += pointer->base;
    }
    return {};
  }

  /// Replaces instructions of the view by the instructions of the kernel from which they were copied.
  std::string leave_view(stencil_fusion::stage_code& code) const {
    for (placed_access& each : code.accesses) {
      stencil_access& access = each.access;
      access.instruction = llvm::cast_or_null<llvm::Instruction>(m_view->original(access.instruction));
      bool all_there = access.instruction != nullptr;
      for (unsigned d = 0; d < 3; ++d) {
        for (index_part& part : access.parts[d]) all_there &= (part.value = m_view->original(part.value)) != nullptr;
      }
      if (!all_there) return "an index is not found between the marks of its elements";
    }
    code.visits = true;
    return {};
  }

  /// Finds the memories. Writes to parts of the same elements belong to one memory. If a buffer contains several
  /// images, each image is a memory of its own.
  std::string find_memories() {
    std::vector<found_write> writes = m_writes;
    std::sort(writes.begin(), writes.end(), [](const found_write& a, const found_write& b) {
      return std::tie(a.space, a.layout.base, a.member, a.access) <
             std::tie(b.space, b.layout.base, b.member, b.access);
    });
    for (const found_write& each : writes) {
      memory* last = m_memories.empty() || m_memories.back().space != each.space ? nullptr : &m_memories.back();
      if (last && !std::equal(each.layout.step, each.layout.step + 3, last->layout.step))
        return named(each.member) + ": its elements lie differently from another kernel's (" + m_written[each.space] +
               ")";
      if (last && each.end() - last->layout.base <= last->layout.element_bytes) {
        last->end = std::max(last->end, each.end());
      } else {
        m_memories.push_back({each.space, each.layout, each.end()});
      }
      m_memory_of[{each.member, each.access}] = static_cast<unsigned>(m_memories.size() - 1);
      m_memories.back().writers.push_back(each.member);
    }
    for (memory& each : m_memories) {
      std::sort(each.writers.begin(), each.writers.end());
      each.writers.erase(std::unique(each.writers.begin(), each.writers.end()), each.writers.end());
    }
    return {};
  }

  std::string check_layout(memory& to) {
    const std::string& name = m_written[to.space];
    if (to.end - to.layout.base > to.layout.element_bytes)
      return "kernels write different elements of " + name + " in the same work-item";
    for (const fusion_pointer& pointer : m_request.pointers) {
      if (pointer.space != to.space) continue;
      to.lives_on |= !pointer.unobservable && pointer.requested == promotion::none;
    }
    // The memory covers the elements of all work-items that may write it.
    for (std::size_t i = 0; i < to.writers.size(); ++i) {
      const fusion_range& range = m_ranges[to.writers[i]];
      for (unsigned d = 0; d < 3; ++d) {
        const auto low = static_cast<std::int64_t>(range.offset[d]);
        const auto high = low + static_cast<std::int64_t>(range.global[d]);
        to.ids.first[d] = i == 0 ? low : std::min(to.ids.first[d], low);
        to.ids.end[d] = i == 0 ? high : std::max(to.ids.end[d], high);
      }
    }
    std::int64_t faster = 0;
    for (unsigned d = 3; d-- > 0;) {
      if (to.layout.step[d] == 0) {
        if (to.ids.end[d] - to.ids.first[d] > 1) return "kernels of different ranges write " + name;
        continue;
      }
      if (to.layout.step[d] < faster) return "rows of " + name + " overlap";
      faster = to.layout.step[d] * (to.ids.end[d] - to.ids.first[d]);
    }
    return {};
  }

  /// Checks that no element lies in two memories.
  std::string check_planes() {
    for (const memory& a : m_memories) {
      for (const memory& b : m_memories) {
        if (&a == &b || a.space != b.space || are_apart(a.layout, a.ids, b.layout, b.ids)) continue;
        return "kernels write different elements of " + m_written[a.space] + " in the same work-item";
      }
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------------- accesses

  /// The number of a result. A result is a pair of a member and a memory that the member writes.
  int result_of(unsigned writer, unsigned memory) {
    auto [known, inserted] = m_results.insert({{writer, memory}, static_cast<int>(m_result.request.results.size())});
    if (inserted) {
      const element_layout& layout = m_memories[memory].layout;
      m_result.request.results.push_back({writer, static_cast<std::uint64_t>(layout.element_bytes)});
      m_result.layouts.push_back(layout);
    }
    return known->second;
  }

  std::string place(unsigned k) {
    stencil_analysis& analysis = *m_analyses[k];
    stencil_fusion::stage_code code{m_members[k].kernel, m_ranges[k], {}};
    stage numbers{code.range, {}, visits(k)};
    for (std::size_t i = 0; i < analysis.accesses().size(); ++i) {
      stencil_access& access = analysis.accesses()[i];
      const fusion_pointer& pointer = *pointer_of(k, access.leaf);
      std::optional<unsigned> found;
      bool strays = false;
      const std::string why_not = access.is_write ? analysis.place(access, m_memories[m_memory_of[{k, i}]].layout)
                                                  : place_read(analysis, access, pointer.space, found, strays);
      if (!why_not.empty())
        return named(k) + (access.is_write ? " writes " : " reads ") + pointer.name + ", and " + why_not;
      if (access.is_write) found = m_memory_of[{k, i}];
      if (!found) continue;  // no member writes the memory of this read
      const memory& of = m_memories[*found];
      placed_access placed{access, *found};
      if (access.is_write) {
        placed.in_memory = of.lives_on && !is_overwritten(k, i, *found);
        numbers.lives_on |= placed.in_memory;
        code.accesses.push_back(std::move(placed));
        continue;
      }
      if (std::string why = check_dimensions(k, of, pointer); !why.empty()) return why;
      for (std::size_t w = 0; w < analysis.accesses().size(); ++w) {
        const stencil_access& write = analysis.accesses()[w];
        if (!write.is_write || m_memory_of[{k, w}] != *found) continue;
        if (analysis.may_follow(*access.instruction, *write.instruction))
          return named(k) + " reads what it has just written (" + pointer.name + ")";
      }
      const auto behind = std::lower_bound(of.writers.begin(), of.writers.end(), k);
      if (behind == of.writers.begin()) {
        if (strays) {
          return named(k) + " reads " + pointer.name + " beyond the elements that " + named(of.writers.front()) +
                 " overwrites, where other elements of the list may lie";
        }
        m_in_place.push_back({k, *found, access.footprint});
        code.accesses.push_back(std::move(placed));
        continue;
      }
      const unsigned writer = *std::prev(behind);
      m_result.reads_around |= access.footprint != reach{};
      if (std::string why = check_read(k, placed, pointer, writer, strays); !why.empty()) return why;
      placed.buffer = result_of(writer, *found);
      placed.in_memory = placed.reads_outside;
      add_read(numbers.reads, static_cast<unsigned>(placed.buffer), access.footprint);
      code.accesses.push_back(std::move(placed));
    }
    if (visits(k)) {
      if (std::string why = leave_view(code); !why.empty()) return named(k) + ": " + why;
    }
    m_result.stages.push_back(std::move(code));
    m_result.request.stages.push_back(std::move(numbers));
    return {};
  }

  /// Finds the memories that member k reads. The member runs after the tiles, so tiles have to write these memories.
  std::string find_reads_behind(unsigned k) {
    for (stencil_access& access : m_analyses[k]->accesses()) {
      if (access.is_write) continue;
      const fusion_pointer& pointer = *pointer_of(k, access.leaf);
      std::optional<unsigned> found;
      bool strays = false;
      const std::string why_not = place_read(*m_analyses[k], access, pointer.space, found, strays);
      if (!why_not.empty()) return named(k) + " reads " + pointer.name + ", and " + why_not;
      if (strays) return named(k) + " reads " + pointer.name + " beyond the elements that others write";
      if (found) m_read_behind.insert(*found);
    }
    return {};
  }

  /// Whether a later member certainly overwrites everything that this access writes. If this is so, no command can read
  /// the access's values from memory.
  bool is_overwritten(unsigned k, std::size_t access, unsigned memory) {
    const auto bytes_of = [&](const found_write& each) {
      const std::int64_t first = each.layout.base - m_memories[memory].layout.base;
      return std::pair(first, first + each.bytes);
    };
    const auto covers = [](const fusion_range& all, const fusion_range& part) {
      bool result = true;
      for (unsigned d = 0; d < 3; ++d) {
        result &= all.offset[d] <= part.offset[d] && all.offset[d] + all.global[d] >= part.offset[d] + part.global[d];
      }
      return result;
    };
    const auto own = std::find_if(m_writes.begin(), m_writes.end(), [&](const found_write& each) {
      return each.member == k && each.access == access;
    });
    const auto [first, last] = bytes_of(*own);
    return std::any_of(m_writes.begin(), m_writes.end(), [&, first = first, last = last](const found_write& each) {
      const auto its = m_memory_of.find({each.member, each.access});
      if (each.member <= k || its == m_memory_of.end() || its->second != memory) return false;
      if (each.member == m_count && m_read_behind.contains(memory)) return false;
      stencil_analysis& analysis = *m_analyses[each.member];
      const auto [from, to] = bytes_of(each);
      return from <= first && to >= last && covers(m_ranges[each.member], m_ranges[k]) &&
             analysis.is_certain(*analysis.accesses()[each.access].instruction);
    });
  }

  /// Checks dimensions in which the address of a memory does not change from work-item to work-item: only one work-item
  /// along such a dimension may write it. Only the tile with this work-item has the memory's elements, so other tiles
  /// must not read these elements.
  std::string check_dimensions(unsigned k, const memory& of, const fusion_pointer& pointer) {
    const fusion_range& range = m_ranges[k];
    for (unsigned d = 0; d < 3; ++d) {
      if (of.layout.step[d] != 0) continue;
      if (range.global[d] == 1 && static_cast<std::int64_t>(range.offset[d]) == of.ids.first[d]) continue;
      return named(k) + " has " + std::to_string(range.global[d]) + " work-items for each element of " + pointer.name +
             ", which one work-item of " + named(of.writers.front()) + " writes";
    }
    return {};
  }

  /// Finds the memory that has the elements of a read. Finds none if no member writes these elements. `strays` is set
  /// if some elements are outside the memory that was found, and may belong to other work-items or to another memory.
  std::string place_read(stencil_analysis& analysis, stencil_access& access, unsigned space,
                         std::optional<unsigned>& found, bool& strays) {
    const stencil_access unplaced = access;
    std::string why;
    for (unsigned m = 0; m < m_memories.size(); ++m) {
      const memory& of = m_memories[m];
      if (of.space != space) continue;
      stencil_access here = unplaced;
      if (std::string why_not = analysis.place(here, of.layout); !why_not.empty()) {
        if (why.empty()) why = why_not;
        continue;
      }
      id_box read;
      bool is_inside = true;
      for (unsigned d = 0; d < 3; ++d) {
        const bool one = of.layout.step[d] == 0;
        read.first[d] = one ? of.ids.first[d] : here.least[d];
        read.end[d] = one ? of.ids.end[d] : here.most[d] + 1;
        is_inside &= read.first[d] >= of.ids.first[d] && read.end[d] <= of.ids.end[d];
      }
      if (!is_inside && are_apart(of.layout, of.ids, of.layout, read)) continue;
      // A read that is inside one memory touches no other memory. A read that is inside no memory reads beyond a
      // memory's ends. Such a read is assigned to the first memory that the read may overlap.
      if (is_inside || !found) access = here, found = m;
      if (is_inside) {
        strays = false;
        return {};
      }
      strays |= !may_stray(m, read);
    }
    return why;
  }

  /// Whether the elements that are read outside of memory m belong to no other memory.
  bool may_stray(unsigned m, const id_box& read) const {
    const memory& of = m_memories[m];
    std::int64_t faster = 0;
    for (unsigned d = 3; d-- > 0;) {
      const std::int64_t step = of.layout.step[d];
      if (step == 0) continue;
      if (step < faster) return false;
      faster = step * (std::max(of.ids.end[d], read.end[d]) - std::min(of.ids.first[d], read.first[d]));
    }
    for (unsigned other = 0; other < m_memories.size(); ++other) {
      const memory& beside = m_memories[other];
      if (other == m || beside.space != of.space) continue;
      if (!are_apart(of.layout, read, beside.layout, beside.ids)) return false;
    }
    return true;
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

  /// Whether all writers of the memory have the same ids as `writer`. In this case, elements that `writer` does not
  /// write keep their contents while the list runs.
  bool keeps_others(const memory& of, unsigned writer) const {
    const fusion_range& range = m_ranges[writer];
    return std::all_of(of.writers.begin(), of.writers.end(), [&](unsigned other) {
      return std::equal(range.global, range.global + 3, m_ranges[other].global) &&
             std::equal(range.offset, range.offset + 3, m_ranges[other].offset);
    });
  }

  /// Checks that the writer has certainly written all elements that may be read. If no member writes an element, the
  /// element is read from memory.
  std::string check_read(unsigned k, placed_access& placed, const fusion_pointer& pointer, unsigned writer,
                         bool strays) {
    const stencil_access& read = placed.access;
    const std::string what = named(k) + " reads " + pointer.name + " where " + named(writer) + " ";
    const fusion_range& range = m_ranges[writer];
    const element_layout& layout = m_memories[placed.memory].layout;
    for (unsigned d = 0; d < 3; ++d) {
      const auto first = static_cast<std::int64_t>(range.offset[d]);
      const auto last = first + static_cast<std::int64_t>(range.global[d]) - 1;
      if (layout.step[d] != 0 && (read.least[d] < first || read.most[d] > last)) {
        placed.reads_outside = !visits(k) && !strays && keeps_others(m_memories[placed.memory], writer);
        if (placed.reads_outside) continue;
        return what + "writes nothing: indices from " + std::to_string(read.least[d]) + " to " +
               std::to_string(read.most[d]) + " along dimension " +
               std::to_string(d - (3 - m_ranges[k].dimensions)) + ", of elements " +
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
      if (!write.access.is_write || write.memory != placed.memory) continue;
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

  bool is_written_in_memory(unsigned memory) const {
    return std::any_of(m_result.stages.begin(), m_result.stages.end(), [&](const auto& stage) {
      return std::any_of(stage.accesses.begin(), stage.accesses.end(), [&](const placed_access& each) {
        return each.access.is_write && each.in_memory && each.memory == memory;
      });
    });
  }

  /// Checks reads of memory that a later stage of the list overwrites. An element that a member overwrites may be read
  /// only by the work-item that overwrites it. The work-item has to read the element before it overwrites the element.
  std::string check_reads_in_place() {
    for (const read_in_place& each : m_in_place) {
      const auto& placed = m_result.plan.stages[each.member];
      if (!placed.needed) continue;
      if (each.footprint == reach{} && placed.halo == reach{}) continue;
      if (abi::is_planted("tiles_read_overwritten")) continue;
      const memory& of = m_memories[each.memory];
      if (!of.lives_on || !is_written_in_memory(each.memory)) continue;
      return named(each.member) + " reads around its work-item what " + named(of.writers.front()) + " overwrites (" +
             m_written[of.space] + "): another tile may have been there before";
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------------- result

  bool is_read_in_memory(unsigned memory) const {
    for (const auto& stage : m_result.stages) {
      for (const placed_access& each : stage.accesses) {
        if (!each.access.is_write && (each.buffer < 0 || each.reads_outside) && each.memory == memory) return true;
      }
    }
    return false;
  }

  /// Chooses one write that bypasses the caches. If several such writes alternated, they would reach memory as parts of
  /// cache lines.
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
        const element_layout& layout = m_memories[write.memory].layout;
        const std::uint64_t bytes = write.access.bytes;
        const bool whole = layout.step[m_result.plan.lanes] == layout.element_bytes &&
                           bytes == static_cast<std::uint64_t>(layout.element_bytes) && bytes <= 8 &&
                           (bytes & (bytes - 1)) == 0;
        // Rows must be long, because the ends of a row are not whole cache lines, and a line of which only a part is
        // stored has to be loaded again from memory.
        const auto lanes = static_cast<std::uint64_t>(m_result.plan.tile[m_result.plan.lanes]);
        const bool is_long = bytes * lanes >= shortest_stream;
        // The factor is 2 because a stage's input is mostly as large as its result.
        const bool large = 2 * bytes * size_of(m_result.stages[s].range) > m_cache_bytes;
        if (!whole || !large || !is_long || is_read_in_memory(write.memory) ||
            m_result.plan.stages[s].halo != reach{} || !m_analyses[s]->is_certain(*write.access.instruction))
          continue;
        found = {s, i, layout.base - pointer_of(s, write.access.leaf)->base, layout};
      }
    }
    if (count == 1) m_result.past_caches = found;
  }

  /// Some work-items read elements that no member writes. Removes the ids of such work-items from the inner ids.
  void keep_inside_writers(stencil_fusion::stage_code& code, unsigned d) const {
    id_span& ids = code.inner[d].ids;
    for (const placed_access& each : code.accesses) {
      if (!each.reads_outside || m_memories[each.memory].layout.step[d] == 0) continue;
      const fusion_range& of = m_ranges[m_result.request.results[static_cast<std::size_t>(each.buffer)].writer];
      const auto first = static_cast<std::int64_t>(of.offset[d]);
      ids.first = std::max(ids.first, first - each.access.footprint.low[d]);
      ids.last = std::min(ids.last, first + static_cast<std::int64_t>(of.global[d]) - each.access.footprint.high[d]);
    }
    ids.last = std::max(ids.first, ids.last);
  }

  void finish() {
    find_stream();
    const bool has_inner_forms = m_result.request.rows_are_loops || m_result.request.in_groups;
    for (std::size_t s = 0; has_inner_forms && s < m_result.stages.size(); ++s) {
      if (visits(static_cast<unsigned>(s))) continue;
      for (unsigned d = 0; d < 3; ++d) {
        m_result.stages[s].inner[d] = m_analyses[s]->find_inner(d);
        keep_inside_writers(m_result.stages[s], d);
      }
    }
    for (auto& [key, result] : m_results) {
      const auto& [writer, of] = key;
      bool is_kept = false;
      for (placed_access& access : m_result.stages[writer].accesses) {
        if (!access.access.is_write || access.memory != of) continue;
        access.buffer = result;
        is_kept |= access.in_memory;
      }
      const std::uint64_t bytes = m_result.request.results[static_cast<std::size_t>(result)].element_bytes *
                                  size_of(m_ranges[writer]);
      // Readers find the values in local memory; if no other command reads them, they are not written to global memory.
      m_result.saved_bytes += is_kept ? bytes : 2 * bytes;
      const auto& buffer = m_result.plan.buffers[static_cast<std::size_t>(result)];
      const std::string place = buffer.is_value ? "a work-item's own memory" : "local memory";
      m_result.notes.push_back(
          {"tiles",
           m_written[m_memories[of].space] +
               (is_kept ? " is kept in " + place + " as well, " : " moves to " + place + ", ") +
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
  const unsigned m_count;  ///< members that are stages; one more member may run after the stages
  const std::uint64_t m_cache_bytes;
  std::unique_ptr<element_view> m_view;  ///< view of the member that visits elements
  std::vector<fusion_range> m_ranges;  ///< the ids of each member's work-items that do something
  std::vector<std::unique_ptr<stencil_analysis>> m_analyses;
  std::map<unsigned, std::string> m_written;  ///< spaces that members write, with their names
  std::vector<found_write> m_writes;
  std::vector<memory> m_memories;
  std::map<std::pair<unsigned, std::size_t>, unsigned> m_memory_of;  ///< the memory of each write
  std::map<std::pair<unsigned, unsigned>, int> m_results;            ///< results by member and memory
  std::vector<read_in_place> m_in_place;
  std::set<unsigned> m_read_behind;  ///< memories that are read by the member behind the tiles
  stencil_fusion m_result;
};

}  // namespace

stencil_fusion plan_stencils(const std::vector<stencil_member>& members, const decision_request& request,
                             const tile_machine& machine, bool last_runs_behind) {
  return stencil_planner(members, request, machine, last_runs_behind).run();
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
