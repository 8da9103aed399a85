#pragma once
/// sycl_ext_oneapi_graph: commands that are recorded once and then submitted together any number of times.
///
/// There are two ways to build a modifiable graph: from command groups (`add`, `make_edge`), or by recording the
/// commands that the program submits to queues. `finalize` makes an executable graph of the current contents.
/// queue::ext_oneapi_graph runs an executable graph. Two executions of the same executable graph never overlap. Copies
/// of a graph or node refer to the same object. Several threads may call member functions at the same time.

#include <cstddef>
#include <string>
#include <vector>

#include "../../../detail/graph_names.hpp"
#include "../../../detail/standard.hpp"
#include "../../../queue.hpp"

#define SYCL_EXT_ONEAPI_GRAPH 2

namespace sycl::inline _V1::detail {

template <class Function>
struct called_at_end final : counted {
  explicit called_at_end(Function&& its) : function(static_cast<Function&&>(its)) {}
  ~called_at_end() override { function(); }
  Function function;
};

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// How a device supports graphs: `unsupported` means that the device lacks aspect::ext_oneapi_graph.
enum class graph_support_level { unsupported, native, emulated };
namespace info {
using experimental::graph_support_level;
namespace device {
struct graph_support {
  using return_type = graph_support_level;
};
}  // namespace device
}  // namespace info

enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  async_malloc,
  async_free,
  native_command  ///< Sinter's own enumerator; the extension has none for native commands
};

class dynamic_command_group;

/// A handle of a node of a graph.
class SINTER_EXPORT node {
public:
  node() = delete;
  node_type get_type() const;
  /// get_predecessors returns the nodes for which this node waits directly. get_successors returns the nodes that wait
  /// directly for this node. Both lists are empty once the graph is destroyed.
  std::vector<node> get_predecessors() const;
  std::vector<node> get_successors() const;
  /// Throws errc::invalid if the event does not belong to a recorded command.
  static node get_node_from_event(event recorded);
  /// Changes the range of a kernel node. An executable graph uses the new range only after its next update. Throws
  /// errc::invalid if the node is not a kernel, or if its range or nd_range has another number of dimensions.
  template <int Dimensions>
  void update_range(range<Dimensions> size) {
    static_assert(Dimensions >= 1 && Dimensions <= 3);
    update_geometry(Dimensions, detail::extents_of(size), nullptr, nullptr);
  }
  template <int Dimensions>
  void update_nd_range(nd_range<Dimensions> size) {
    static_assert(Dimensions >= 1 && Dimensions <= 3);
    const range<Dimensions> global = size.get_global_range(), local = size.get_local_range();
    const id<Dimensions> offset = size.get_offset();
    update_geometry(Dimensions, detail::extents_of(global), detail::extents_of(local), detail::extents_of(offset));
  }
  friend bool operator==(const node& a, const node& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const node& a, const node& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  friend struct std::hash<node>;
  explicit node(detail::shared<detail::counted> impl) noexcept : m_impl(static_cast<decltype(impl)&&>(impl)) {}
  void update_geometry(int dimensions, const std::size_t* global, const std::size_t* local, const std::size_t* offset);
  detail::shared<detail::counted> m_impl;
};

namespace property::graph {
/// A property of modifiable graphs: make_edge does not look for cycles, because the program promises to make none.
struct no_cycle_check : detail::property_of_kind<detail::property_kind::no_cycle_check> {};
/// A property of modifiable graphs: commands may use buffers, because the program promises to keep the buffers as long
/// as the graph.
struct assume_buffer_outlives_graph : detail::property_of_kind<detail::property_kind::assume_buffer_outlives_graph> {};
/// A property of modifiable graphs, which requests that the driver records the commands. No backend supports this
/// property, so making such a graph throws errc::feature_not_supported.
struct enable_native_recording : detail::property_of_kind<detail::property_kind::native_recording> {};
/// A property of finalize: the program can update the executable graph.
struct updatable : detail::property_of_kind<detail::property_kind::updatable> {};
/// A property of finalize: the events of the graph's executions have profiling times if the queue has enable_profiling.
struct enable_profiling : detail::property_of_kind<detail::property_kind::graph_profiling> {};
}  // namespace property::graph

namespace property::node {
/// A property of add: the node waits for all nodes that have no successors yet.
struct depends_on_all_leaves : detail::property_of_kind<detail::property_kind::depends_on_all_leaves> {};
/// A property of add: the node waits for the given nodes.
class depends_on : public detail::property_of_kind<detail::property_kind::depends_on_nodes> {
public:
  template <class... Nodes>
    requires(std::is_same_v<Nodes, experimental::node> && ...)
  depends_on(Nodes... nodes) : m_nodes{nodes...} {}
  explicit depends_on(std::vector<experimental::node> nodes) : m_nodes(std::move(nodes)) {}
  const std::vector<experimental::node>& get_dependencies() const noexcept { return m_nodes; }

private:
  std::vector<experimental::node> m_nodes;
};
}  // namespace property::node

/// An executable graph, which a queue runs as one command. The update functions throw errc::invalid if the graph was
/// finalized without property::graph::updatable.
template <>
class SINTER_EXPORT command_graph<graph_state::executable> {
public:
  command_graph() = delete;
  /// Updates the given nodes of this graph to the state that they have in the modifiable graph: arguments and ranges of
  /// kernels, active command groups, and host tasks. The call waits for earlier submissions of the graph, which it does
  /// not change. Throws errc::invalid if a node belongs to another graph, was added after finalize, or can't be
  /// updated.
  void update(const node& changed);
  void update(const std::vector<node>& changed);
  /// Sets each node to the state of the corresponding node of `as`. The graph `as` must have been built by the same
  /// calls in the same order. Throws errc::invalid if devices, contexts, nodes, edges or kernels of the two graphs
  /// differ.
  void update(const command_graph<graph_state::modifiable>& as);
  /// Returns the number of bytes that the graph's own allocations need (async_alloc.hpp).
  std::size_t get_required_mem_size() const noexcept;

  friend bool operator==(const command_graph& a, const command_graph& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const command_graph& a, const command_graph& b) noexcept { return !(a == b); }

private:
  friend class sycl::handler;
  friend struct detail::object_access;
  friend struct std::hash<command_graph>;
  explicit command_graph(detail::shared<detail::counted> impl) noexcept
      : m_impl(static_cast<decltype(impl)&&>(impl)) {}
  detail::shared<detail::counted> m_impl;
};

/// A modifiable graph, which collects commands. When the graph's last handle is destroyed, queues stop recording to the
/// graph.
template <>
class SINTER_EXPORT command_graph<graph_state::modifiable> {
public:
  /// Throws errc::invalid if the device is not in the context.
  command_graph(const context& context, const device& device, const property_list& properties = {});
  /// Makes a graph for the queue's context and device.
  explicit command_graph(const queue& queue, const property_list& properties = {});
  explicit command_graph(const device& device, const property_list& properties = {});
  command_graph(const command_graph& other) noexcept;
  command_graph(command_graph&& other) noexcept;
  command_graph& operator=(command_graph other) noexcept;
  ~command_graph();

  command_graph<graph_state::executable> finalize(const property_list& properties = {}) const;

  /// Until end_recording, commands that the program submits to the queue become nodes of this graph instead of running.
  /// Throws errc::invalid if the queue is recording already, or if the queue has another context or device than the
  /// graph.
  void begin_recording(queue& recorded, const property_list& properties = {});
  void begin_recording(const std::vector<queue>& recorded, const property_list& properties = {});
  /// Ends the recording of all queues that record to this graph, or only of the given queues. Throws errc::invalid if a
  /// given queue records to another graph.
  void end_recording();
  void end_recording(queue& recorded);
  void end_recording(const std::vector<queue>& recorded);

  /// Adds a node to the graph. The overload without a command group adds an empty node, which can connect other nodes.
  /// Throws errc::invalid while a queue records to the graph.
  node add(const property_list& properties = {});
  template <class CommandGroup>
  node add(CommandGroup group, const property_list& properties = {}) {
    return add_group([](void* call, handler& target) { (*static_cast<CommandGroup*>(call))(target); }, &group,
                     properties);
  }
  node add(dynamic_command_group& groups, const property_list& properties = {});
  /// Makes `after` wait for `before`. Throws errc::invalid if the edge makes a cycle, or if a node belongs to another
  /// graph.
  void make_edge(node& before, node& after);

  /// Writes a description of the graph in Graphviz's format. `verbose` adds the kernels' ranges, arguments and memory.
  /// Throws errc::invalid if the path does not end in ".dot", or if the file can't be written.
  void print_graph(std::string path, bool verbose = false) const;
  /// Returns the nodes in the order in which they were added.
  std::vector<node> get_nodes() const;
  std::vector<node> get_root_nodes() const;
  bool empty() const;
  /// Calls the callback, with copies of the arguments, when the graph and all executable graphs made from it have been
  /// destroyed. Several callbacks are called in the order in which they were set. Any thread may call the callbacks,
  /// and callbacks must not throw.
  template <class Callback, class... Arguments>
  void set_destruction_callback(Callback&& callback, Arguments&&... arguments) {
    auto call = [callback = std::decay_t<Callback>(static_cast<Callback&&>(callback)),
                 ... arguments = std::decay_t<Arguments>(static_cast<Arguments&&>(arguments))]() mutable {
      callback(arguments...);
    };
    keep_until_end(detail::shared<detail::counted>(new detail::called_at_end<decltype(call)>(
        static_cast<decltype(call)&&>(call))));
  }
  /// The id is unique in the process, and later graphs have larger ids.
  std::size_t get_id() const noexcept;

  friend bool operator==(const command_graph& a, const command_graph& b) noexcept {
    return a.get_id() == b.get_id();
  }
  friend bool operator!=(const command_graph& a, const command_graph& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  friend struct std::hash<command_graph>;
  explicit command_graph(detail::shared<detail::counted> impl) noexcept;
  node add_group(void (*call)(void* function, handler& group), void* function, const property_list& properties);
  void keep_until_end(detail::shared<detail::counted> object);
  detail::shared<detail::counted> m_impl;
};

command_graph(const context&, const device&, const property_list& = {}) -> command_graph<graph_state::modifiable>;
command_graph(const queue&, const property_list& = {}) -> command_graph<graph_state::modifiable>;
command_graph(const device&, const property_list& = {}) -> command_graph<graph_state::modifiable>;

/// A function of sycl_ext_oneapi_enqueue_functions, which runs the graph and returns no event.
inline void execute_graph(queue target, command_graph<graph_state::executable>& graph) {
  target.ext_oneapi_graph(graph);
}
inline void execute_graph(handler& group, command_graph<graph_state::executable>& graph) {
  group.ext_oneapi_graph(graph);
}

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

template <>
inline ext::oneapi::experimental::graph_support_level
device::get_info<ext::oneapi::experimental::info::device::graph_support>() const {
  using level = ext::oneapi::experimental::graph_support_level;
  return has(aspect::ext_oneapi_graph) ? level::native : level::unsupported;
}

}  // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::node> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::node& object) const noexcept {
    return std::hash<const void*>()(object.m_impl.address());
  }
};
template <sycl::ext::oneapi::experimental::graph_state State>
struct std::hash<sycl::ext::oneapi::experimental::command_graph<State>> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::command_graph<State>& object) const noexcept {
    if constexpr (State == sycl::ext::oneapi::experimental::graph_state::modifiable) {
      return object.get_id();
    } else {
      return std::hash<const void*>()(object.m_impl.address());
    }
  }
};

#include "dynamic_arguments.hpp"
