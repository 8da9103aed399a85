#include "dynamic_values.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/byte_count.hpp>
#include <algorithm>
#include <cstring>
#include <images/kernel_view.hpp>

#include <sycl/exception.hpp>

namespace sycl::detail {
namespace {

/// The argument of this index. errc::invalid when there is none.
sinter::abi::image_leaf argument_of(const node_work& work, int index) {
  const sinter::abi::kernel_descriptor& kernel = *work.launch.kernel;
  const sinter::image_use keep_image(kernel);
  const sinter::kernel_view view(kernel);
  const auto leaves = view.leaves();
  if (index >= 0 && static_cast<std::size_t>(index) < leaves.size()) return leaves[static_cast<std::size_t>(index)];
  const std::string text = "handler::set_arg: " + text_of(work);
  if (!view.has_image()) refuse_graph(text + " was compiled without the capture plugin: nobody knows its arguments");
  refuse_graph(text + " has " + std::to_string(leaves.size()) + " arguments; there is no number " +
               std::to_string(index));
}

/// The part is new, or of another size than before.
void place_local_memory(node_work& work, const node_work::local_part& part) {
  auto& parts = work.local_parts;
  const auto known =
      std::find_if(parts.begin(), parts.end(), [&](const auto& each) { return each.place == part.place; });
  if (known == parts.end()) {
    parts.push_back(part);
  } else {
    *known = part;
  }
  std::size_t end = work.ordinary_local_bytes;
  for (const node_work::local_part& each : parts) {
    const std::size_t begin = sinter::abi::align_bytes(end, each.alignment);
    std::memcpy(static_cast<char*>(const_cast<void*>(work.launch.block)) + each.place +
                    sinter::abi::local_accessor_layout::local_offset,
                &begin, sizeof(begin));
    end = sinter::abi::add_bytes(begin, each.bytes);
  }
  work.launch.local_memory_bytes = end;
}

}  // namespace

dynamic_value::dynamic_value(const void* value, std::size_t bytes)
    : m_bytes(static_cast<const char*>(value), static_cast<const char*>(value) + bytes) {}

dynamic_value::dynamic_value(int dimensions, const std::size_t* extents, std::size_t element_bytes,
                             std::size_t alignment)
    : m_dimensions(dimensions), m_element_bytes(element_bytes), m_alignment(alignment) {
  std::copy(extents, extents + dimensions, m_extents);
}

requirement dynamic_value::use() const {
  std::lock_guard lock(m_mutex);
  return m_use;
}

void dynamic_value::put(node_work& work, int index) {
  std::lock_guard lock(m_mutex);
  put_locked(work, index, argument_of(work, index));
}

std::size_t dynamic_value::local_bytes() const {
  std::size_t bytes = m_element_bytes;
  for (int d = 0; d < m_dimensions; ++d) bytes = sinter::abi::multiply_bytes(bytes, m_extents[d]);
  return bytes;
}

void dynamic_value::put_locked(node_work& work, int index, const sinter::abi::image_leaf& leaf) {
  using sinter::abi::leaf_kind;
  const auto refuse_argument = [&](const std::string& why) {
    refuse_graph("handler::set_arg: argument " + std::to_string(index) + " of " + text_of(work) + why);
  };
  char* const at = static_cast<char*>(const_cast<void*>(work.launch.block)) + leaf.offset;
  if ((leaf.kind == leaf_kind::local_accessor) != is_local_memory()) {
    refuse_argument(is_local_memory() ? " is no local accessor" : " is a local accessor");
  }
  if (is_local_memory()) {
    if (leaf.dimensions != 0 && leaf.dimensions != m_dimensions) {
      refuse_argument(" has other dimensions than the dynamic local memory");
    }
    using layout = sinter::abi::local_accessor_layout;
    std::memcpy(at + layout::range, m_extents, sizeof(std::size_t) * static_cast<std::size_t>(m_dimensions));
    place_local_memory(work, {leaf.offset, local_bytes(), std::max<std::size_t>(m_alignment, 64)});
    return;
  }
  const bool is_accessor = leaf.kind == leaf_kind::accessor;
  if (is_accessor != static_cast<bool>(m_use.memory)) {
    refuse_argument(is_accessor ? " is an accessor, the parameter is none" : " is no accessor, as the parameter is");
  }
  if (m_bytes.size() < leaf.size || m_bytes.size() > work.launch.kernel->block_size - leaf.offset) {
    refuse_argument(" has " + std::to_string(leaf.size) + " bytes, the parameter " + std::to_string(m_bytes.size()));
  }
  std::memcpy(at, m_bytes.data(), m_bytes.size());
}

void dynamic_value::follow(const shared<graph_node>& node, std::size_t choice, int index) {
  std::lock_guard lock(m_mutex);
  std::lock_guard node_lock(node->mutex());
  m_followers.push_back({node, choice, index, argument_of(*node->choice(choice), index)});
}

/// Under the mutex; `before`: what the nodes used until now.
void dynamic_value::change_nodes(const requirement* before) {
  for (const follower& each : m_followers) {
    graph_node& node = *each.node;
    std::lock_guard lock(node.mutex());
    shared<node_work> changed = node.choice(each.choice)->copy();
    put_locked(*changed, each.index, each.argument);
    for (requirement& use : changed->requirements) {
      if (!before || use.memory.get() != before->memory.get() || use.mode != before->mode) continue;
      const memory_place place = use.place;
      use = m_use;
      use.place = place;
      break;
    }
    // Other values of ordinary arguments need no other code, but those of accessors may reach the same buffer now;
    // drivers look at those of kernels that they have built.
    const bool is_built = (changed->launch.kernel->flags & sinter::abi::descriptor_from_source) != 0;
    if (is_local_memory() || before || is_built) changed->make_code();
    node.set_choice(each.choice, std::move(changed));
  }
}

void dynamic_value::change(const void* value, const buffer_use* use) {
  std::lock_guard lock(m_mutex);
  const requirement before = m_use;
  std::memcpy(m_bytes.data(), value, m_bytes.size());
  if (use && use->record) {
    const shared<buffer_record> record(use->record);
    m_use = {record, use->mode, region(use->part, record->data(), record->bytes()), nullptr, use->no_init};
  }
  change_nodes(before.memory ? &before : nullptr);
}

void dynamic_value::change(const std::size_t* extents) {
  std::lock_guard lock(m_mutex);
  std::copy(extents, extents + m_dimensions, m_extents);
  change_nodes(nullptr);
}

void dynamic_group::choose(std::size_t index) {
  std::lock_guard lock(m_mutex);
  if (index >= functions.size()) {
    refuse_graph("dynamic_command_group::set_active_index: there are " + std::to_string(functions.size()) +
           " command groups; there is no number " + std::to_string(index));
  }
  if (index == m_active) return;
  m_active = index;
  for (const shared<graph_node>& each : m_nodes) {
    std::lock_guard node_lock(each->mutex());
    each->choose(index);
  }
}

void dynamic_group::follow(const shared<graph_node>& node, std::vector<shared<node_work>> choices) {
  std::lock_guard lock(m_mutex);
  m_nodes.push_back(node);
  std::lock_guard node_lock(node->mutex());
  node->set_choices(std::move(choices), m_active);
}

shared<counted> make_dynamic_value(const void* value, std::size_t bytes) {
  return make_counted<dynamic_value>(value, bytes);
}

void change_dynamic_value(const shared<counted>& value, const void* to, const buffer_use* use) {
  static_cast<dynamic_value&>(*value).change(to, use);
}

shared<counted> make_dynamic_local(int dimensions, const std::size_t* extents, std::size_t element_bytes,
                                   std::size_t alignment) {
  return make_counted<dynamic_value>(dimensions, extents, element_bytes, alignment);
}

void change_dynamic_local(const shared<counted>& value, const std::size_t* extents) {
  static_cast<dynamic_value&>(*value).change(extents);
}

}  // namespace sycl::detail
