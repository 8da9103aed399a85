#pragma once
/// sycl_ext_oneapi_graph: arguments, local memory and command groups that programs can change in nodes of a graph.
/// graph.hpp includes this header.

#include <cstddef>
#include <vector>

#include "../../../detail/graph_names.hpp"
#include "../../../detail/standard.hpp"
#include "../../../kernel_settings.hpp"
#include "../../../local_accessor.hpp"
#include "graph.hpp"
#include "raw_kernel_arg.hpp"
#include "work_group_memory.hpp"

namespace sycl::inline _V1::detail {

struct accessor_use {
  template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder IsPlaceholder>
  static buffer_use of(const accessor<T, Dimensions, Mode, Target, IsPlaceholder>& used) noexcept {
    return {used.m_record, Mode, used.m_no_init, used.region()};
  }
};

template <class Value>
argument_value dynamic_argument_of(const Value& value) noexcept {
  if constexpr (std::is_trivially_copyable_v<Value> || requires { accessor_use::of(value); }) {
    return argument_kind<Value>::of(value);
  } else {
    return {sinter::abi::leaf_kind::opaque_bytes, 0, 0, 0, &value, sizeof(value)};
  }
}

/// Makes the objects that kernels capture for dynamic local memory. Each captured object contains the address of an
/// object that make_dynamic_local has made. When a kernel becomes a node of a graph, the runtime replaces this address
/// by an offset in the group's local memory.
struct dynamic_memory {
  template <class T, int Dimensions>
  static local_accessor<T, Dimensions> accessor_for(const captured_owner& object,
                                                    const range<Dimensions>& size) noexcept {
    local_accessor<T, Dimensions> made;
    made.m_offset = reinterpret_cast<std::size_t>(object.address()) | dynamic_memory_mark;
    made.m_range = size;
    return made;
  }
  template <class Memory>
  static Memory memory_for(const captured_owner& object, const range<1>& size) noexcept {
    Memory made{ext::oneapi::experimental::indeterminate};
    made.m_memory = accessor_for<typename Memory::value_type, 1>(object, size);
    return made;
  }
};

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// An argument that the program can change in kernel nodes. In handler::set_arg(index, parameter), the index counts the
/// captures of the kernel function in their order in memory; each member of a structure counts as one. The parameter's
/// value replaces the captured value. An executable graph uses a changed value only after its nodes have been updated.
template <class Value>
class dynamic_parameter {
public:
  explicit dynamic_parameter(const Value& initial)
      : m_impl(detail::make_dynamic_value(detail::dynamic_argument_of(initial))) {
    static_assert(is_device_copyable_v<Value>, "kernels take arguments that are device copyable");
    update(initial);
  }
  /// In older versions of the extension, the constructor has the graph as a parameter. This constructor is for programs
  /// that were written for such a version.
  dynamic_parameter(command_graph<graph_state::modifiable>, const Value& initial) : dynamic_parameter(initial) {}
  /// Throws errc::invalid if `value` is an accessor that refers to no buffer, or to a buffer that graphs can't write.
  /// Also throws any error that a launch with this value would throw. After an error, the parameter has its old value.
  void update(const Value& value) {
    if constexpr (requires { detail::accessor_use::of(value); }) {
      const auto used = detail::accessor_use::of(value);
      detail::change_dynamic_value(m_impl, detail::dynamic_argument_of(value), &used);
    } else {
      detail::change_dynamic_value(m_impl, detail::dynamic_argument_of(value), nullptr);
    }
  }
  void ext_sinter_is_dynamic() const noexcept {}
  friend bool operator==(const dynamic_parameter& a, const dynamic_parameter& b) noexcept {
    return a.m_impl == b.m_impl;
  }
  friend bool operator!=(const dynamic_parameter& a, const dynamic_parameter& b) noexcept { return !(a == b); }

private:
  friend class sycl::handler;
  friend struct std::hash<dynamic_parameter>;
  detail::shared<detail::counted> m_impl;
};

/// Local memory of kernel nodes; the program can change its size. Kernels capture this object and call get(), or
/// capture the result of get(). Kernels need no handler::set_arg for it. Kernels that are submitted to a queue, outside
/// graphs, can't use it (errc::invalid).
template <class T, int Dimensions>
class dynamic_local_accessor {
  static_assert(Dimensions >= 1 && Dimensions <= 3);

public:
  explicit dynamic_local_accessor(range<Dimensions> size, const property_list& = {})
      : m_impl(detail::make_dynamic_local(Dimensions, detail::extents_of(size), sizeof(T), alignof(T))),
        m_memory(detail::dynamic_memory::accessor_for<T, Dimensions>(m_impl, size)) {}
  dynamic_local_accessor(command_graph<graph_state::modifiable>, range<Dimensions> size, const property_list& = {})
      : dynamic_local_accessor(size) {}
  /// Returns the accessor for kernels; the host can't use the accessor.
  local_accessor<T, Dimensions> get() const noexcept { return m_memory; }
  /// Throws errc::memory_allocation if the device has less local memory than the new size. After an error, the accessor
  /// has its old size.
  void update(range<Dimensions> size) { detail::change_dynamic_local(m_impl, detail::extents_of(size)); }
  void ext_sinter_is_dynamic() const noexcept {}
  friend bool operator==(const dynamic_local_accessor& a, const dynamic_local_accessor& b) noexcept {
    return a.m_impl == b.m_impl;
  }
  friend bool operator!=(const dynamic_local_accessor& a, const dynamic_local_accessor& b) noexcept {
    return !(a == b);
  }

private:
  friend class sycl::handler;
  friend struct std::hash<dynamic_local_accessor>;
  detail::captured_owner m_impl;
  local_accessor<T, Dimensions> m_memory;
};

/// An array that the work-items of a group share, for kernel nodes. The program can change its length. This class is
/// used like dynamic_local_accessor. `Data` is an array type without a length, such as int[].
template <class Data, class Properties = empty_properties_t>
class dynamic_work_group_memory {
  static_assert(std::is_unbounded_array_v<Data>, "only arrays without length, such as int[], can change");
  using memory = work_group_memory<Data, Properties>;
  using value_type = typename memory::value_type;

public:
  explicit dynamic_work_group_memory(std::size_t elements)
      : m_impl(detail::make_dynamic_local(1, detail::extents_of(memory::extent_of(elements)), sizeof(value_type),
                                          alignof(value_type))),
        m_memory(detail::dynamic_memory::memory_for<memory>(m_impl, memory::extent_of(elements))) {}
  dynamic_work_group_memory(command_graph<graph_state::modifiable>, std::size_t elements)
      : dynamic_work_group_memory(elements) {}
  /// Returns the memory for kernels; the host can't use the memory.
  memory get() const noexcept { return m_memory; }
  void update(std::size_t elements) {
    detail::change_dynamic_local(m_impl, detail::extents_of(memory::extent_of(elements)));
  }
  void ext_sinter_is_dynamic() const noexcept {}
  friend bool operator==(const dynamic_work_group_memory& a, const dynamic_work_group_memory& b) noexcept {
    return a.m_impl == b.m_impl;
  }
  friend bool operator!=(const dynamic_work_group_memory& a, const dynamic_work_group_memory& b) noexcept {
    return !(a == b);
  }

private:
  friend class sycl::handler;
  friend struct std::hash<dynamic_work_group_memory>;
  detail::captured_owner m_impl;
  memory m_memory;
};

/// A list of command groups, one of which is active. A node made from the list runs the active command group.
/// Initially, the first command group is active. The constructor calls each command group's function once, and nothing
/// else calls these functions. Nodes made from one dynamic_command_group share its command groups: if the program
/// changes the range of one node, the range of the other nodes changes, too.
class SINTER_EXPORT dynamic_command_group {
public:
  /// Throws errc::invalid if the list is empty, if it has both kernels and host tasks, or if it has any other kind of
  /// command. Also throws the errors that command_graph::add would throw for a command group. When the program adds a
  /// node for the list, all its command groups must wait for the same nodes.
  dynamic_command_group(const command_graph<graph_state::modifiable>& graph,
                        const std::vector<std::function<void(handler&)>>& groups);
  std::size_t get_active_index() const;
  /// Makes a command group active in all nodes made from this object. Executable graphs use this command group after
  /// their next update. Throws errc::invalid if `index` is too large.
  void set_active_index(std::size_t index);

private:
  friend struct detail::object_access;
  detail::shared<detail::counted> m_impl;
};

}  // namespace sycl::ext::oneapi::experimental

template <class Value>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_parameter<Value>> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::dynamic_parameter<Value>& object) const noexcept {
    return std::hash<const void*>()(object.m_impl.address());
  }
};
template <class T, int Dimensions>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>& object) const noexcept {
    return std::hash<const void*>()(object.m_impl.address());
  }
};
template <class Data, class Properties>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_work_group_memory<Data, Properties>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_work_group_memory<Data, Properties>& object) const noexcept {
    return std::hash<const void*>()(object.m_impl.address());
  }
};
