#include "member_arguments.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/members_behind.hpp>
#include <algorithm>
#include <cstring>
#include <images/code_keys.hpp>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <memory/accessor_fields.hpp>
#include <memory/buffer_record.hpp>
#include <memory/usm.hpp>
#include <scheduler/scheduler.hpp>
#include <type_traits>

#include "promotion_rules.hpp"

namespace sycl::inline _V1::detail {

member_arguments::member_arguments(std::span<const command_ptr> members, const command* user,
                                   const buffers_elsewhere* elsewhere, bool promises_count, std::uint64_t graph,
                                   const buffers_elsewhere* overwritten)
    : m_overwritten(overwritten), m_promises_count(promises_count), m_graph(graph) {
  // This function runs for every list, even for lists whose code is known, so it allocates memory only once.
  std::size_t leaves = 0;
  m_kernels.reserve(members.size());
  m_members.reserve(members.size());
  for (const command_ptr& member : members) {
    add_member(member);
    leaves += sinter::image_of(*m_kernels.back())->leaves(m_kernels.back()->index).size();
  }
  m_pointers.reserve(leaves);
  m_targets.reserve(leaves);
  m_numbers.reserve(leaves);
  for (std::uint32_t i = 0; i < members.size(); ++i) add_pointers(i, members, user, elsewhere);
  number_spaces();
  settle_promotions();
}

bool member_arguments::candidate::is_unobservable(const command* user) const {
  return record->is_forgotten() && record->is_only_of(graph) && !record->used_by_others(user);
}

void member_arguments::forget_temporaries() {
  for (candidate& each : m_candidates) {
    each.unobservable = true;
    m_pointers[each.pointer].unobservable = 1;
  }
}

buffers_elsewhere member_arguments::buffers_around(std::size_t first, std::size_t count) const {
  buffers_elsewhere result;
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
    const bool is_in = m_pointers[i].member >= first && m_pointers[i].member < first + count;
    if (!is_in && m_targets[i].buffer) result.insert(m_targets[i].buffer);
  }
  return result;
}

bool member_arguments::share_memory() const noexcept {
  for (const sinter::abi::fusion_pointer& a : m_pointers) {
    for (const sinter::abi::fusion_pointer& b : m_pointers) {
      if (a.member != b.member && a.space != 0 && a.space == b.space) return true;
    }
  }
  return false;
}

void member_arguments::own_blocks() {
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    const char* block = static_cast<const char*>(m_members[i].block);
    m_blocks.emplace_back(block, block + m_kernels[i]->block_size);
  }
  for (const sinter::abi::fusion_dependence& place : m_tables) {
    const sinter::abi::specialization_table* table = table_at(place);
    if (!table) continue;
    auto own = std::make_shared<constants>();
    for (std::uint32_t i = 0; i < table->count; ++i) {
      const auto& [key, value, size] = table->entries[i];
      const char* bytes = static_cast<const char*>(value);
      own->values.emplace_back(bytes, bytes + size);
      own->entries.push_back({key, own->values.back().data(), size});
    }
    own->table = {table->count, own->entries.data()};
    const sinter::abi::specialization_table* pointer = &own->table;
    std::memcpy(m_blocks[place.member].data() + place.offset, &pointer, sizeof(pointer));
    m_constants.push_back(std::move(own));
  }
  for (std::size_t i = 0; i < m_members.size(); ++i) m_members[i].block = m_blocks[i].data();
}

const sinter::abi::specialization_table* member_arguments::table_at(const sinter::abi::fusion_dependence& place) const {
  return read_field<const sinter::abi::specialization_table*>(m_members[place.member].block, place.offset);
}

void member_arguments::name_pointers() {
  unsigned number = 0;
  for (std::size_t i = m_names.size(); i < m_pointers.size(); ++i) {
    number = i > 0 && m_pointers[i - 1].member == m_pointers[i].member ? number + 1 : 0;
    m_names.push_back("argument " + std::to_string(number) + " of '" +
                      sinter::kernel_display_name(*m_kernels[m_pointers[i].member]) + "'");
  }
  for (std::size_t i = 0; i < m_pointers.size(); ++i) m_pointers[i].name = m_names[i].c_str();
}

void member_arguments::add_member(const command_ptr& member) {
  const sinter::kernel_launch& launch = member->kernel->launch;
  sinter::abi::fusion_member result{};
  result.image = launch.kernel->image->image;
  result.kernel_index = launch.kernel->index;
  result.dimensions = launch.kernel->dimensions;
  static_cast<sinter::abi::launch_geometry&>(result) = launch;
  if (launch.kernel->shape != sinter::abi::kernel_shape::nd_range) std::fill_n(result.local_range, 3, 0);
  if (launch.ids() == sinter::abi::id_width::bits_64) m_ids = sinter::abi::id_width::bits_64;
  result.local_memory_bytes = launch.local_memory_bytes;
  result.block = launch.block;
  m_members.push_back(result);
  m_kernels.push_back(launch.kernel);
}

void member_arguments::add_pointers(std::uint32_t index, std::span<const command_ptr> members, const command* user,
                                    const buffers_elsewhere* elsewhere) {
  const sinter::kernel_launch& launch = members[index]->kernel->launch;
  const sinter::image_view* image = sinter::image_of(*launch.kernel);
  for (const sinter::abi::image_leaf& leaf : image->leaves(launch.kernel->index)) {
    const bool is_accessor =
        leaf.kind == sinter::abi::leaf_kind::accessor && leaf.dimensions >= 1 && leaf.dimensions <= 3;
    if (leaf.kind == sinter::abi::leaf_kind::scalar) m_numbers.push_back({index, leaf.offset, leaf.size});
    if (leaf.kind == sinter::abi::leaf_kind::specialized) m_specialized.push_back({index, leaf.offset, leaf.size});
    const bool is_table = leaf.kind == sinter::abi::leaf_kind::constants;
    if (!is_accessor && !is_table && leaf.kind != sinter::abi::leaf_kind::global_pointer) continue;
    if (is_accessor) {
      // The fields are an accessor's memory range, range and offset.
      const sinter::abi::accessor_layout layout(leaf.dimensions);
      m_numbers.push_back({index, static_cast<std::uint32_t>(leaf.offset + layout.memory_range),
                           static_cast<std::uint32_t>(layout.record() - layout.memory_range)});
    }
    sinter::abi::fusion_pointer pointer{};
    pointer.member = index;
    pointer.offset = leaf.offset;
    pointer.element_size = leaf.element_size;
    target known{read_field<const char*>(launch.block, leaf.offset), nullptr, nullptr, nullptr};
    if (is_accessor) {
      const accessor_fields accessor(launch.block, leaf.offset, leaf.dimensions);
      pointer.elements = accessor.elements;
      if (accessor.record) {
        known.buffer = accessor.record;
        // By requesting a promotion, the program promises that no command after the program's own list reads the
        // buffer. The promise does not help if another part of the graph reads the buffer.
        const bool is_read_elsewhere = elsewhere && elsewhere->contains(accessor.record);
        pointer.requested = is_read_elsewhere || !m_promises_count ? sinter::abi::promotion::none : accessor.promoted;
        // No later command of the program can use a buffer that the program has already destroyed.
        const bool forgotten = accessor.record->is_forgotten();
        // Nodes of other graphs may run later and read the buffer.
        const bool stays =
            is_read_elsewhere || (elsewhere && !user && !forgotten) || !accessor.record->is_only_of(m_graph);
        const bool may_go = !stays && pointer.requested == promotion::none && accessor.record->may_be_forgotten();
        if (may_go && !accessor.record->used_by_others(user)) {
          pointer.unobservable = forgotten ? 1 : 0;
          m_candidates.push_back({accessor.record, m_pointers.size(), forgotten, m_graph});
          m_has_candidates |= !forgotten;
        }
        if (m_overwritten && m_overwritten->contains(accessor.record) && pointer.requested == promotion::none)
          pointer.unobservable = 1;
        const sinter::device_backend& device = members[index]->kernel->held.backend;
        const void* begin = accessor.record->address_on(device, accessor.record->data());
        known.begin = static_cast<const char*>(begin);
        known.end = known.begin + accessor.record->bytes();
      }
    } else if (is_table) {
      m_tables.push_back({index, leaf.offset, sizeof(launch.constants)});
    } else if (known.address) {
      std::span<const char> allocation = find_usm_allocation(known.address);
      for (const std::span<const char> each : members[index]->kernel->memories) {
        if (known.address >= each.data() && known.address < each.data() + each.size()) allocation = each;
      }
      known.begin = allocation.data();
      known.end = allocation.data() + allocation.size();
    }
    m_targets.push_back(known);
    m_pointers.push_back(pointer);
  }
}

void member_arguments::settle_promotions() {
  using sinter::abi::promotion;
  if (std::all_of(m_pointers.begin(), m_pointers.end(),
                  [](const auto& each) { return each.requested == promotion::none; })) {
    return;
  }
  std::vector<promotion_wish> wishes;
  wishes.reserve(m_pointers.size());
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
    const sinter::abi::fusion_pointer& pointer = m_pointers[i];
    const sinter::abi::fusion_member& member = m_members[pointer.member];
    std::uint64_t items = 1, groups = 1;
    for (int d = 0; d < 3; ++d) {
      // If a member's work-items visit several elements each, each element corresponds to one work-item of the other
      // members.
      const bool visits = member.visits_elements();
      items *= visits ? member.element_range[d] : member.global_range[d];
      groups *= visits || member.local_range[d] == 0 ? 0 : member.global_range[d] / member.local_range[d];
    }
    wishes.push_back({m_targets[i].buffer, pointer.requested, static_cast<std::uint64_t>(pointer.base),
                      pointer.elements, items, groups});
  }
  m_warnings = agree_on_promotions(wishes);
  for (std::size_t i = 0; i < m_pointers.size(); ++i) m_pointers[i].requested = wishes[i].requested;
}

/// Numbers the spaces. Pointers to overlapping memory get the same number, because a buffer may use USM memory or
/// another buffer's host memory as its own.
void member_arguments::number_spaces() {
  struct space {
    const char *begin, *end;
    std::uint32_t number;
  };
  std::vector<space> spaces;
  spaces.reserve(m_targets.size());
  for (const target& each : m_targets) {
    if (each.begin != each.end) spaces.push_back({each.begin, each.end, 0});
  }
  std::sort(spaces.begin(), spaces.end(), [](const space& a, const space& b) { return a.begin < b.begin; });
  std::size_t merged = 0;
  for (const space& each : spaces) {
    if (merged != 0 && each.begin < spaces[merged - 1].end) {
      spaces[merged - 1].end = std::max(spaces[merged - 1].end, each.end);
    } else {
      spaces[merged++] = each;
    }
  }
  spaces.resize(merged);
  // The numbers of spaces follow the order of their first use, so that the key of the code does not depend on
  // addresses.
  std::uint32_t next = 1;
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
    const target& to = m_targets[i];
    if (to.begin == to.end) continue;
    space& found = *std::prev(std::upper_bound(spaces.begin(), spaces.end(), to.begin,
                                               [](const char* at, const space& each) { return at < each.begin; }));
    if (found.number == 0) found.number = next++;
    m_pointers[i].space = found.number;
    m_pointers[i].base = to.address - found.begin;
  }
}

namespace {

/// Returns the extent of the slowest dimension: in elements if work-items visit elements, otherwise in work-items. The
/// JIT may make code that can be used for any such extent.
std::uint64_t rows_of(const sinter::abi::fusion_member& member) {
  return member.visits_elements() ? member.element_range[3 - member.element_dimensions]
                                        : member.global_range[3 - member.dimensions];
}

}  // namespace

std::string member_arguments::key() const {
  std::string key;
  append_lasting_key(key);
  append_constants(key);
  append_outlook(key);
  return key;
}

void member_arguments::append_lasting_key(std::string& key) const {
  // Padding is left out, because its bytes may have any value.
  struct member_row {
    std::uint64_t hash_low, hash_high, local_range[3], global_offset[3], global_range[2], local_memory_bytes;
    std::uint64_t kernel_index;
    std::uint32_t dimensions, element_dimensions;
  };
  struct pointer_row {
    std::int64_t base;
    std::uint32_t space, requested;
  };
  static_assert(std::has_unique_object_representations_v<member_row> &&
                std::has_unique_object_representations_v<pointer_row>);
  key.reserve(key.size() + (m_members.size() + 1) * sizeof(member_row) + m_pointers.size() * sizeof(pointer_row));
  auto add = [&](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  const bool equal_rows = std::all_of(m_members.begin(), m_members.end(),
                                      [&](const auto& each) { return rows_of(each) == rows_of(m_members[0]); });
  key += m_ids == sinter::abi::id_width::bits_32 ? 'n' : 'w';
  key += equal_rows ? 'e' : 'd';
  add(m_members.size());
  for (const sinter::abi::fusion_member& member : m_members) {
    member_row row{};
    row.hash_low = member.image->hash_low;
    row.hash_high = member.image->hash_high;
    std::copy(member.local_range, member.local_range + 3, row.local_range);
    std::copy(member.global_offset, member.global_offset + 3, row.global_offset);
    const bool visits = member.visits_elements();
    const std::uint64_t* range = visits ? member.element_range : member.global_range;
    for (unsigned d = 4 - (visits ? member.element_dimensions : member.dimensions); d < 3; ++d)
      row.global_range[d - 1] = range[d];
    row.element_dimensions = member.element_dimensions;
    row.local_memory_bytes = member.local_memory_bytes;
    row.kernel_index = member.kernel_index;
    row.dimensions = member.dimensions;
    add(row);
  }
  for (const sinter::abi::fusion_pointer& pointer : m_pointers) {
    add(pointer_row{pointer.base, pointer.space, static_cast<std::uint32_t>(pointer.requested)});
  }
}

bool member_arguments::run_last_behind() noexcept {
  for (sinter::abi::fusion_pointer& each : m_pointers) {
    if (each.member + 1 != m_members.size()) continue;
    each.unobservable = sinter::abi::runs_behind;
    m_last_runs_behind = true;
  }
  return m_last_runs_behind;
}

void member_arguments::append_outlook(std::string& key) const {
  for (const sinter::abi::fusion_pointer& pointer : m_pointers) {
    const bool is_behind = (pointer.unobservable & sinter::abi::runs_behind) != 0;
    key += is_behind ? 'b' : pointer.unobservable != 0 ? 'u' : 'o';
  }
}

void member_arguments::append_constants(std::string& key) const {
  for (const sinter::abi::fusion_dependence& place : m_tables) {
    const sinter::abi::specialization_table* table = table_at(place);
    key += std::to_string(place.member) + "+" + std::to_string(place.offset) + ":" +
           (table ? sinter::describe(*table) : "-") + ";";
  }
  append_bytes_at(m_specialized, key);
}

void member_arguments::append_sizes(std::string& bytes) const {
  auto add = [&](std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  for (const sinter::abi::fusion_member& member : m_members) add(rows_of(member));
  for (const sinter::abi::fusion_pointer& pointer : m_pointers) add(pointer.elements);
}

bool member_arguments::append_bytes_at(std::span<const sinter::abi::fusion_dependence> places,
                                       std::string& bytes) const {
  for (const sinter::abi::fusion_dependence& place : places) {
    if (place.member >= m_members.size()) return false;
    if (std::uint64_t{place.offset} + place.size > m_kernels[place.member]->block_size) return false;
  }
  for (const sinter::abi::fusion_dependence& place : places) {
    bytes.append(static_cast<const char*>(m_members[place.member].block) + place.offset, place.size);
  }
  return true;
}

} // namespace sycl::detail
