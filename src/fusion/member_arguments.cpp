#include "member_arguments.hpp"

#include <algorithm>
#include <cstring>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <memory/accessor_fields.hpp>
#include <memory/buffer_record.hpp>
#include <memory/usm.hpp>
#include <scheduler/scheduler.hpp>

#include "promotion_rules.hpp"

namespace sycl::detail {

member_arguments::member_arguments(std::span<const command_ptr> members, outlook temporaries) {
  for (const command_ptr& member : members) add_member(member);
  for (std::uint32_t i = 0; i < members.size(); ++i) add_pointers(i, members, temporaries);
  number_spaces();
  settle_promotions();
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
  for (std::size_t i = 0; i < m_members.size(); ++i) m_members[i].block = m_blocks[i].data();
}

void member_arguments::name_pointers() {
  unsigned number = 0;
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
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
  const bool groups = launch.kernel->shape == sinter::abi::kernel_shape::nd_range;
  for (int d = 0; d < 3; ++d) {
    result.global_range[d] = launch.global_range[d];
    result.local_range[d] = groups ? launch.local_range[d] : 0;
    result.global_offset[d] = launch.global_offset[d];
    m_narrow &= launch.global_range[d] + launch.global_offset[d] < (std::uint64_t{1} << 31);
  }
  result.local_memory_bytes = launch.local_memory_bytes;
  result.block = launch.block;
  m_members.push_back(result);
  m_kernels.push_back(launch.kernel);
}

void member_arguments::add_pointers(std::uint32_t index, std::span<const command_ptr> members, outlook temporaries) {
  const sinter::kernel_launch& launch = members[index]->kernel->launch;
  const sinter::image_view* image = sinter::image_of(*launch.kernel);
  for (const sinter::abi::image_leaf& leaf : image->leaves(launch.kernel->index)) {
    const bool is_accessor = leaf.kind == sinter::abi::leaf_kind::accessor && leaf.dimensions >= 1 && leaf.dimensions <= 3;
    if (leaf.kind == sinter::abi::leaf_kind::scalar) m_numbers.push_back({index, leaf.offset, leaf.size});
    if (!is_accessor && leaf.kind != sinter::abi::leaf_kind::global_pointer) continue;
    // Memory range, range and offset of an accessor.
    const auto word = static_cast<std::uint32_t>(sizeof(std::size_t));
    if (is_accessor) m_numbers.push_back({index, leaf.offset + word, 3 * word * leaf.dimensions});
    sinter::abi::fusion_pointer pointer{};
    pointer.member = index;
    pointer.offset = leaf.offset;
    pointer.element_size = leaf.element_size;
    memory known{nullptr, nullptr};
    const void* buffer = nullptr;
    const char* address = read_field<const char*>(launch.block, leaf.offset);
    if (is_accessor) {
      const accessor_fields accessor(launch.block, leaf.offset, leaf.dimensions);
      pointer.elements = accessor.elements;
      if (accessor.record) {
        buffer = accessor.record;
        pointer.requested = static_cast<sinter::abi::promotion_request>(accessor.promoted);
        // Where the user has promised, there is nothing to wait for.
        const bool candidate = accessor.promoted == promotion::none && accessor.record->may_be_forgotten();
        if (candidate && !accessor.record->used_by_others(members)) {
          const bool forgotten = accessor.record->is_forgotten();
          pointer.unobservable = temporaries == outlook::forgotten || forgotten ? 1 : 0;
          m_has_candidates |= !forgotten;
        }
        known.begin = static_cast<const char*>(accessor.record->data());
        known.end = known.begin + accessor.record->bytes();
      }
    } else if (address) {
      std::span<const char> allocation = find_usm_allocation(address);
      for (const std::span<const char> each : members[index]->kernel->memories) {
        if (address >= each.data() && address < each.data() + each.size()) allocation = each;
      }
      known = {allocation.data(), allocation.data() + allocation.size()};
    }
    m_addresses.push_back(address);
    m_memories.push_back(known);
    m_buffers.push_back(buffer);
    m_pointers.push_back(pointer);
  }
}

void member_arguments::settle_promotions() {
  std::vector<promotion_wish> wishes;
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
    const sinter::abi::fusion_pointer& pointer = m_pointers[i];
    const sinter::abi::fusion_member& member = m_members[pointer.member];
    std::uint64_t items = 1, groups = 1;
    for (int d = 0; d < 3; ++d) {
      items *= member.global_range[d];
      groups *= member.local_range[d] == 0 ? 0 : member.global_range[d] / member.local_range[d];
    }
    wishes.push_back({m_buffers[i], pointer.requested, static_cast<std::uint64_t>(pointer.base), pointer.elements, items, groups});
  }
  m_warnings = agree_on_promotions(wishes);
  for (std::size_t i = 0; i < m_pointers.size(); ++i) m_pointers[i].requested = wishes[i].requested;
}

/// Memory that overlaps is one space: a buffer may work in USM memory or in another buffer's host memory.
void member_arguments::number_spaces() {
  std::vector<memory> spaces;
  for (const memory& part : m_memories) {
    if (part.begin != part.end) spaces.push_back(part);
  }
  std::sort(spaces.begin(), spaces.end(), [](const memory& a, const memory& b) { return a.begin < b.begin; });
  std::vector<memory> merged;
  for (const memory& part : spaces) {
    if (!merged.empty() && part.begin < merged.back().end) {
      merged.back().end = std::max(merged.back().end, part.end);
    } else {
      merged.push_back(part);
    }
  }
  // Numbered in the order of their first use, so that the key does not depend on addresses.
  std::vector<std::uint32_t> numbers(merged.size(), 0);
  std::uint32_t next = 1;
  for (std::size_t i = 0; i < m_pointers.size(); ++i) {
    const memory& part = m_memories[i];
    if (part.begin == part.end) continue;
    const auto above = std::upper_bound(merged.begin(), merged.end(), part.begin,
                                        [](const char* at, const memory& space) { return at < space.begin; });
    const std::size_t space = static_cast<std::size_t>(above - merged.begin()) - 1;
    if (numbers[space] == 0) numbers[space] = next++;
    m_pointers[i].space = numbers[space];
    m_pointers[i].base = m_addresses[i] - merged[space].begin;
  }
}

std::string member_arguments::key() const {
  std::string key;
  auto add = [&](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  add(m_narrow);
  add(m_members.size());
  auto rows = [](const sinter::abi::fusion_member& member) { return member.global_range[3 - member.dimensions]; };
  add(std::all_of(m_members.begin(), m_members.end(), [&](const auto& each) { return rows(each) == rows(m_members[0]); }));
  for (const sinter::abi::fusion_member& member : m_members) {
    add(member.image->hash_low);
    add(member.image->hash_high);
    add(member.kernel_index);
    add(member.dimensions);
    for (unsigned d = 4 - member.dimensions; d < 3; ++d) add(member.global_range[d]);
    add(member.local_range);
    add(member.global_offset);
    add(member.local_memory_bytes);
  }
  for (const sinter::abi::fusion_pointer& pointer : m_pointers) {
    add(pointer.space);
    add(pointer.base);
    add(pointer.requested);
    add(pointer.unobservable);
  }
  return key;
}

std::string member_arguments::sizes() const {
  std::string sizes;
  auto add = [&](std::uint64_t value) { sizes.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  for (const sinter::abi::fusion_member& member : m_members) add(member.global_range[3 - member.dimensions]);
  for (const sinter::abi::fusion_pointer& pointer : m_pointers) add(pointer.elements);
  return sizes;
}

std::string member_arguments::bytes_at(std::span<const sinter::abi::fusion_dependence> places) const {
  std::string bytes;
  for (const sinter::abi::fusion_dependence& place : places) {
    if (place.member >= m_members.size()) return {};
    if (std::uint64_t{place.offset} + place.size > m_kernels[place.member]->block_size) return {};
    bytes.append(static_cast<const char*>(m_members[place.member].block) + place.offset, place.size);
  }
  return bytes;
}

} // namespace sycl::detail
