#include "dynamic_values.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/byte_count.hpp>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <memory/accessor_fields.hpp>
#include <memory/argument_fit.hpp>
#include <unordered_set>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {
namespace {

/// Returns the argument of this index. Throws errc::invalid if the kernel has no such argument.
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

/// Adds a dynamic local accessor or changes its size, and places all dynamic local accessors behind the ordinary local
/// memory.
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

/// All dynamic values that are local memory, by address: a kernel that captures such a value has this address in its
/// argument block.
struct local_values {
  std::mutex mutex;
  std::unordered_set<std::size_t> all;
  static local_values& instance() {
    static local_values& values = *new local_values;  // never destroyed, because static objects may have such values
    return values;
  }
};

}  // namespace

dynamic_value::dynamic_value(const argument_value& value)
    : m_bytes(static_cast<const char*>(value.value), static_cast<const char*>(value.value) + value.bytes),
      m_kind(value) {
  m_kind.value = nullptr;
}

dynamic_value::dynamic_value(int dimensions, const std::size_t* extents, std::size_t element_bytes,
                             std::size_t alignment)
    : m_dimensions(dimensions), m_element_bytes(element_bytes), m_alignment(alignment) {
  std::copy(extents, extents + dimensions, m_extents);
  local_values& known = local_values::instance();
  std::lock_guard lock(known.mutex);
  known.all.insert(reinterpret_cast<std::size_t>(this));
  s_any_local = true;
}

dynamic_value::~dynamic_value() {
  if (!is_local_memory()) return;
  local_values& known = local_values::instance();
  std::lock_guard lock(known.mutex);
  known.all.erase(reinterpret_cast<std::size_t>(this));
}

/// Every word of the block is checked, because without an image it is unknown where captured values are.
std::vector<dynamic_value::captured> dynamic_value::find_captured(const sinter::abi::kernel_descriptor& kernel,
                                                                  const void* block) {
  std::vector<captured> found;
  local_values& known = local_values::instance();
  // A number that the program has captured may look like a marked address, so the word is looked up among the known
  // values.
  std::unique_lock lock(known.mutex, std::defer_lock);
  for (std::size_t at = 0; at + sizeof(std::size_t) <= kernel.block_size; at += alignof(std::size_t)) {
    const auto word = read_field<std::size_t>(block, at);
    if (word >> 47 != dynamic_memory_mark >> 47) continue;
    if (!lock) lock.lock();
    const std::size_t address = word & ~dynamic_memory_mark;
    if (known.all.contains(address)) {
      found.push_back({at, shared<dynamic_value>(reinterpret_cast<dynamic_value*>(address))});
    }
  }
  if (!lock) return found;
  const sinter::image_use keep_image(kernel);
  for (const sinter::abi::image_leaf& leaf : sinter::kernel_view(kernel).leaves()) {
    if (leaf.kind != sinter::abi::leaf_kind::local_accessor) continue;
    const auto offset = read_field<std::size_t>(block, leaf.offset + sinter::abi::local_accessor_layout::local_offset);
    if ((offset & dynamic_memory_mark) == 0 || known.all.contains(offset & ~dynamic_memory_mark)) continue;
    refuse_graph("kernel '" + sinter::kernel_display_name(kernel) +
                 "' captures the result of get() of a dynamic_local_accessor or dynamic_work_group_memory that is "
                 "gone; capture the object itself");
  }
  return found;
}

requirement dynamic_value::use() const {
  std::lock_guard lock(m_mutex);
  return m_use;
}

sinter::abi::image_leaf dynamic_value::put(node_work& work, int index) {
  std::lock_guard lock(m_mutex);
  const std::string which = "argument " + std::to_string(index);
  const auto refuse = [&](const std::string& why) {
    refuse_graph("handler::set_arg: " + which + " of " + text_of(work) + why);
  };
  const sinter::abi::image_leaf leaf = argument_of(work, index);
  using sinter::abi::leaf_kind;
  if (is_local_memory()) {
    if (leaf.kind != leaf_kind::local_accessor) refuse(" is no local accessor");
    if (leaf.dimensions != 0 && (leaf.dimensions != m_dimensions || leaf.element_size != m_element_bytes)) {
      refuse(" has other dimensions or elements than the dynamic local memory");
    }
  } else {
    if (leaf.kind == leaf_kind::specialized) refuse(" is a constant that code is made for, so it can't change");
    const sinter::abi::kernel_descriptor& kernel = *work.launch.kernel;
    const sinter::image_use keep_image(kernel);
    const auto first = static_cast<std::size_t>(index);
    const argument_fit fit = fit_of(sinter::kernel_view(kernel).leaves(), first, m_kind, kernel.block_size);
    if (!fit.misfit.empty()) refuse(fit.misfit);
    if (leaf.kind == leaf_kind::accessor && !m_use.memory) {
      refuse(" is an accessor, but the parameter's accessor refers to no buffer");
    }
    const bool is_required =
        !m_use.memory || std::any_of(work.requirements.begin(), work.requirements.end(), [&](const requirement& each) {
          return each.memory.get() == m_use.memory.get();
        });
    if (!is_required) refuse(" is an accessor that the command group does not require; call handler::require with it");
  }
  put_locked(work, leaf);
  return leaf;
}

sinter::abi::image_leaf dynamic_value::put_captured(node_work& work, std::size_t place) {
  std::lock_guard lock(m_mutex);
  sinter::abi::image_leaf leaf{};
  leaf.offset = static_cast<std::uint32_t>(place);
  leaf.kind = sinter::abi::leaf_kind::local_accessor;
  put_locked(work, leaf);
  return leaf;
}

std::size_t dynamic_value::local_bytes() const {
  std::size_t bytes = m_element_bytes;
  for (int d = 0; d < m_dimensions; ++d) bytes = sinter::abi::multiply_bytes(bytes, m_extents[d]);
  return bytes;
}

/// Call it under the mutex.
void dynamic_value::put_locked(node_work& work, const sinter::abi::image_leaf& leaf) const {
  char* const at = static_cast<char*>(const_cast<void*>(work.launch.block)) + leaf.offset;
  if (!is_local_memory()) {
    std::memcpy(at, m_bytes.data(), m_bytes.size());
    return;
  }
  using layout = sinter::abi::local_accessor_layout;
  std::memcpy(at + layout::range, m_extents, sizeof(std::size_t) * static_cast<std::size_t>(m_dimensions));
  place_local_memory(work, {leaf.offset, local_bytes(), std::max<std::size_t>(m_alignment, 64)});
}

void dynamic_value::follow(const shared<node_choices>& node, std::size_t choice,
                           const sinter::abi::image_leaf& argument) {
  {
    std::lock_guard lock(m_mutex);
    m_followers.push_back({node.get(), choice, argument});
  }
  node->note_value(shared<dynamic_value>(this));
}

void dynamic_value::forget(const node_choices& node) {
  std::lock_guard lock(m_mutex);
  std::erase_if(m_followers, [&](const follower& each) { return each.node == &node; });
}

/// Called under this value's mutex and the graph's mutex. `before` is the memory that the nodes have used until now.
shared<node_work> dynamic_value::changed(const follower& which, const requirement* before) const {
  shared<node_work> made = which.node->choice(which.choice)->copy();
  put_locked(*made, which.argument);
  for (requirement& use : made->requirements) {
    if (!before || use.memory.get() != before->memory.get() || use.mode != before->mode) continue;
    const memory_place place = use.place;
    use = m_use;
    use.place = place;
    break;
  }
  return made;
}

/// Called under the mutex before change_nodes, so that either all nodes change or no node changes.
void dynamic_value::check_nodes(const requirement* before) const {
  for (const follower& each : m_followers) {
    std::lock_guard lock(each.node->mutex());
    const shared<node_work> made = changed(each, before);
    made->check(*made);
  }
}

/// Call it under the mutex.
void dynamic_value::change_nodes(const requirement* before) {
  for (const follower& each : m_followers) {
    std::lock_guard lock(each.node->mutex());
    shared<node_work> made = changed(each, before);
    if (before) record_of(m_use).note_graph(each.node->graph_id());
    // A new number needs no check. A new accessor needs a check, because it may now reach the same buffer as another
    // accessor. Drivers also check the arguments of kernels that they have built.
    const bool is_built = (made->launch.kernel->flags & sinter::abi::descriptor_from_source) != 0;
    if (is_local_memory() || before || is_built) made->make_ready();
    each.node->set(each.choice, std::move(made));
  }
}

void dynamic_value::change(const argument_value& value, const buffer_use* use) {
  std::lock_guard lock(m_mutex);
  if (value.bytes != m_bytes.size()) {
    refuse_graph("dynamic_parameter::update: the value has " + std::to_string(value.bytes) + " bytes, the first one " +
                 std::to_string(m_bytes.size()));
  }
  const auto* bytes = static_cast<const char*>(value.value);
  if (!use) {
    std::copy(bytes, bytes + value.bytes, m_bytes.begin());
    return change_nodes(nullptr);
  }
  std::vector<char> bytes_before(bytes, bytes + value.bytes);
  m_bytes.swap(bytes_before);
  const requirement before = m_use;
  try {
    if (use->record) {
      const shared<buffer_record> record(use->record);
      m_use = {record, use->mode, region(use->part, record->data(), record->bytes()), nullptr, use->no_init};
    } else if (!m_followers.empty()) {
      refuse_graph("dynamic_parameter::update: the accessor refers to no buffer");
    }
    check_nodes(before.memory ? &before : nullptr);
  } catch (...) {
    m_bytes.swap(bytes_before);
    m_use = before;
    throw;
  }
  change_nodes(before.memory ? &before : nullptr);
}

void dynamic_value::change(const std::size_t* extents) {
  std::lock_guard lock(m_mutex);
  std::size_t before[3];
  std::copy(m_extents, m_extents + 3, before);
  std::copy(extents, extents + m_dimensions, m_extents);
  try {
    check_nodes(nullptr);
  } catch (...) {
    std::copy(before, before + 3, m_extents);
    throw;
  }
  change_nodes(nullptr);
}

void dynamic_group::choose(std::size_t index) {
  std::lock_guard lock(choices->mutex());
  if (index >= choices->size()) {
    refuse_graph("dynamic_command_group::set_active_index: there are " + std::to_string(choices->size()) +
                 " command groups; there is no number " + std::to_string(index));
  }
  choices->choose(index);
}

shared<counted> make_dynamic_value(const argument_value& value) { return make_counted<dynamic_value>(value); }

void change_dynamic_value(const shared<counted>& value, const argument_value& to, const buffer_use* use) {
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
