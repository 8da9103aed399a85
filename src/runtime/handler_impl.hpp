#pragma once
/// The state of a command group while the command group's function runs.

#include <graph/dynamic_values.hpp>
#include <graph/executable_graph.hpp>
#include <graph/node_work.hpp>
#include <memory/buffer_record.hpp>
#include <runtime/kernel_bundle.hpp>
#include <runtime/object_access.hpp>
#include <scheduler/command.hpp>
#include <scheduler/scheduler.hpp>
#include <vector>

#include <sycl/kernel_settings.hpp>

namespace sycl::inline _V1::detail {

/// A value of handler::set_arg for a kernel object.
struct kernel_argument {
  int index;  ///< index of the argument; next_argument: the argument after the argument that was set last
  argument_value value;
  std::vector<char> bytes;  ///< the value's bytes
};

/// Parts that few command groups have.
struct optional_parts {
  std::vector<shared<graph_node>> nodes_before;
  std::vector<dynamic_argument> arguments;
  shared<executable_graph> executable;  ///< the graph that the command runs
  shared<native_work> native;
  std::vector<std::span<const char>> temporaries;
  shared<kernel_bundle_impl> bundle;
  shared<specialization_values> values;
  const specialization_table* constants = nullptr;
  std::vector<kernel_argument> kernel_arguments;
  shared<counted> kernel_owner;  ///< keeps a kernel that was built from source
  struct bound_pointer {
    std::size_t offset;
    buffer_record* record;
  };
  std::vector<bound_pointer> pointers;
  node_facts::counters_part counters{};
};

/// A command group under construction. The object is on the stack of submit(), so that a command without a node needs
/// no allocation.
class handler_impl {
public:
  explicit handler_impl(const shared<queue_impl>& queue) : m_queue(queue) {
    if (queue->is_recording()) m_graph = queue->graph();
  }
  handler_impl(const handler_impl&) = delete;
  ~handler_impl();
  /// Constructor for command_graph::add, which turns the command into the data of a node.
  handler_impl(const shared<queue_impl>& queue, const shared<modifiable_graph>& graph)
      : m_queue(queue), m_graph(graph), m_is_added(true) {}

  /// Makes the command run host code. Throws errc::invalid if the group already has a command. `name` has to live as
  /// long as the program.
  void set(node_type type, const char* name, task work, cost estimate = unknown_cost);
  void set(node_type type, const char* name, const sinter::memory_work& work, cost estimate);
  void set_native(shared<native_work> work);
  /// Makes the command do nothing: it serves only as a command for which other commands can wait.
  void set_marker(node_type type, const char* name);
  /// Makes the command host code that uses the host's memory, even if the queue's device works by itself.
  void stay_on_host() noexcept { m_on_host = true; }
  /// Returns the launch. The caller sets its remaining members.
  sinter::kernel_launch& set_kernel(function_object&& function, sinter::abi::kernel_descriptor& kernel,
                                    const launch_geometry& geometry);
  void depends_on(dependency before) {
    if (m_graph || (before.node && before.node->recorded)) return depends_on_node(before);
    // Earlier commands of an in-order queue run before this command anyway.
    if (!before.is_complete() && before.order.get() != m_queue.get()) m_dependencies.push_back(std::move(before));
  }
  void require(shared<buffer_record> record, access_mode mode, bool no_init, const region& part, bool of_host = false);
  /// Called for a host task that uses native objects. Such a task uses the device's memory.
  void use_natives() noexcept { m_uses_natives = true; }
  /// Called if the kernel's arguments have images, so that the kernel's code is made for the formats of these images.
  void use_images() noexcept { m_uses_images = true; }
  bool uses_images() const noexcept { return m_uses_images; }
  bool requires_record(const buffer_record* record) const noexcept;
  /// Returns the buffer of the command group's accessors that contains the address, or null if no buffer does.
  shared<buffer_record> record_at(const char* address) const noexcept;
  /// Keeps `object` as long as the kernel's descriptor is used, because the object contains the descriptor.
  void keep_with_kernel(shared<counted> object) { make_optional().kernel_owner = std::move(object); }
  /// Notes that the argument block has an address of the buffer at this offset. For a device with memory of its own,
  /// this address will be replaced.
  void bind_pointer(std::size_t offset, buffer_record& record) {
    make_optional().pointers.push_back({offset, &record});
  }
  void keep(shared<counted> object) { m_keep.push_back(std::move(object)); }
  /// Returns memory that only this command uses.
  void* add_temporary(std::size_t bytes, std::size_t alignment, bool cleared);
  void set_finish(void (*finish)(const void* block), const kernel_counters& counters) {
    m_operation.launch.finish = finish;
    if (!m_graph) return;
    make_optional().counters = {counters.place, add_temporary(counters.bytes, alignof(std::uint32_t), true)};
  }
  std::size_t add_local_memory(std::size_t bytes, std::size_t alignment);
  std::size_t local_bytes() const noexcept { return m_local_bytes; }
  void use_bundle(const shared<kernel_bundle_impl>& bundle);
  const shared<kernel_bundle_impl>& bundle() const noexcept { return optional().bundle; }
  /// Returns the values that are set in this command group. Throws errc::invalid after use_bundle, because after
  /// use_bundle the bundle has the values.
  specialization_values& own_values(const char* what);
  /// Returns the values that the kernel sees, from the bundle or the command group.
  const specialization_table* visible_values();
  /// Returns the values for which the kernel's code is made. Null: no constant that the kernel refers to is set.
  const specialization_table* constants_of(const sinter::abi::kernel_descriptor& kernel) {
    return m_optional ? named_constants(kernel) : nullptr;
  }
  /// Returns a value from the bundle or the command group, or null if the constant is not set.
  const void* find_value(std::uint64_t key) const noexcept;
  std::vector<kernel_argument>& kernel_arguments() { return make_optional().kernel_arguments; }
  const queue_impl& queue() const noexcept { return *m_queue; }
  const shared<queue_impl>& shared_queue() const noexcept { return m_queue; }
  /// Returns whether the command becomes a node of a graph.
  bool is_recorded() const noexcept { return static_cast<bool>(m_graph); }
  /// Returns whether the command group was given to command_graph::add.
  bool is_added() const noexcept { return m_is_added; }
  void set_graph(const shared<executable_graph>& graph);
  /// Allocates memory that the graph owns, for groups that become nodes. With `zeroed`, the memory is set to zeros
  /// whenever the graph is finalized.
  void* allocate(usm::alloc kind, std::size_t bytes, bool zeroed);
  void free(const void* memory);
  void add_argument(const dynamic_argument& argument);
  void set_barrier(bool of_all);
  bool is_barrier() const noexcept { return m_is_barrier; }

  /// Returns the command as the data of a node. nodes_before() returns the nodes for which the command waits.
  shared<node_work> make_work();
  std::span<const shared<graph_node>> nodes_before() const noexcept { return optional().nodes_before; }
  std::span<const dynamic_argument> arguments() const noexcept { return optional().arguments; }

  /// Submits the command. If the group has no command, the result is complete when the group's dependencies are
  /// complete.
  dependency finish();

private:
  [[noreturn]] void refuse_second(const std::string& name) const;
  void claim(node_type type, const char* name);
  bool needs_node() const noexcept;
  command_ptr make_node();
  dependency submit_node(const shared<fusion_list>& list);
  void bind_to_device();
  void depends_on_node(const dependency& before);
  void check_recorded_buffers() const;
  dependency record();
  dependency submit_graph();
  void bring_to_device();
  void name_device();
  shared<kernel_work> make_kernel_work();
  const specialization_table* named_constants(const sinter::abi::kernel_descriptor& kernel);
  const optional_parts& optional() const noexcept { return m_optional ? *m_optional : no_optional_parts; }
  optional_parts& make_optional() { return m_optional ? *m_optional : *(m_optional = new optional_parts); }

  static const optional_parts no_optional_parts;

  const shared<queue_impl>& m_queue;
  shared<modifiable_graph> m_graph;  ///< the graph in which the command becomes a node; null: the command is submitted
  optional_parts* m_optional = nullptr;      ///< rare parts, owned by this object
  operation m_operation;
  node_type m_type = node_type::empty;  ///< type of the node that the command becomes in a graph
  bool m_uses_images = false;
  kept_objects m_keep;
  std::vector<dependency> m_dependencies;
  std::vector<requirement> m_requirements;
  std::size_t m_workspace_bytes = 0;  ///< how many bytes of the queue's workspace the command uses
  std::size_t m_local_bytes = 0;
  bool m_is_added = false;  ///< the group was given to command_graph::add
  bool m_is_barrier = false;
  bool m_waits_for_all = false;  ///< the command is a barrier
  bool m_has_command = false;
  bool m_on_host = false;
  bool m_uses_natives = false;
};

/// Makes the command fill memory with copies of a pattern.
void set_pattern(handler_impl& handler, node_type type, const char* name, void* destination, const void* pattern,
                 std::size_t pattern_bytes, std::size_t count);

} // namespace sycl::detail
