/// Handles of graphs (ext/oneapi/experimental/graph.hpp), and their calls from queues and handlers.

#include <algorithm>
#include <graph/dynamic_values.hpp>
#include <graph/executable_graph.hpp>
#include <runtime/adapted_values.hpp>
#include <runtime/pool_memory.hpp>
#include <runtime/handler_impl.hpp>

#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/graph_fusion.hpp>

namespace sycl::inline _V1 {

namespace graphs = ext::oneapi::experimental;
using graphs::graph_state;
using modifiable = graphs::command_graph<graph_state::modifiable>;
using executable = graphs::command_graph<graph_state::executable>;
using detail::counted;
using detail::graph_node;
using detail::make_counted;
using detail::object_access;
using detail::shared;

namespace detail {
namespace {

/// State that all copies of a handle share. The state ends the recording when the last handle is destroyed, because the
/// recording queues keep the graph itself alive.
struct graph_handle : counted {
  explicit graph_handle(shared<modifiable_graph> its) : graph(std::move(its)) { graph->handles.fetch_add(1); }
  ~graph_handle() override {
    if (graph->handles.fetch_sub(1) == 1) end_recording();
  }
  void end_recording() {
    for (const shared<submission_queue>& each : graph->recording_queues()) stop(static_cast<queue_impl&>(*each));
  }
  void stop(queue_impl& queue) {
    queue.stop_recording(*graph);
    graph->stop_recording(queue);
  }
  const shared<modifiable_graph> graph;
};

graph_handle& handle_of(const modifiable& graph) {
  return static_cast<graph_handle&>(*object_access::impl(graph));
}
modifiable_graph& graph_of(const modifiable& graph) { return *handle_of(graph).graph; }
executable_graph& graph_of(const executable& graph) {
  return static_cast<executable_graph&>(*object_access::impl(graph));
}
graph_node& node_of(const graphs::node& node) { return static_cast<graph_node&>(*object_access::impl(node)); }

shared<counted> make_graph(const context& its_context, const device& its_device, const property_list& properties) {
  if (!object_access::impl(its_context)->contains(its_device)) {
    detail::throw_error(errc::invalid,
                    "command_graph: device '" + its_device.get_info<info::device::name>() + "' is not in the context");
  }
  namespace property = graphs::property::graph;
  if (properties.has_property<property::enable_native_recording>()) {
    detail::throw_error(errc::feature_not_supported,
                    "command_graph: device '" + its_device.get_info<info::device::name>() +
                        "' has no native recording; leave out enable_native_recording, and commands are recorded as "
                        "nodes");
  }
  return make_counted<graph_handle>(make_counted<modifiable_graph>(
      make_counted<queue_impl>(its_context, object_access::impl(its_context)->own(its_device), async_handler(),
                               property_list(), nullptr),
      modifiable_graph::rules{!properties.has_property<property::no_cycle_check>(),
                              properties.has_property<property::assume_buffer_outlives_graph>()}));
}

std::vector<shared<graph_node>> nodes_before(const property_list& properties) {
  std::vector<shared<graph_node>> before;
  using depends_on = graphs::property::node::depends_on;
  if (!properties.has_property<depends_on>()) return before;
  const auto asked = properties.get_property<depends_on>();
  for (const graphs::node& each : asked.get_dependencies()) before.emplace_back(&node_of(each));
  return before;
}

/// Calls a command group's function for a graph. Nodes on which the command depends are added to `before`.
shared<node_work> work_of(const shared<modifiable_graph>& graph, void (*call)(void* function, handler& group),
                          void* function, std::vector<shared<graph_node>>& before,
                          std::vector<dynamic_argument>& arguments) {
  const shared<queue_impl> queue(static_cast<queue_impl*>(graph->queue().get()));
  handler_impl impl(queue, graph);
  handler group = object_access::make_handler(impl);
  call(function, group);
  shared<node_work> work = impl.make_work();
  before.insert(before.end(), impl.nodes_before().begin(), impl.nodes_before().end());
  arguments.assign(impl.arguments().begin(), impl.arguments().end());
  return work;
}

graphs::node make_handle(shared<graph_node> node) { return object_access::make<graphs::node>(std::move(node)); }

std::vector<graphs::node> make_handles(std::mutex& mutex, const std::vector<graph_node*>& nodes) {
  std::vector<graphs::node> result;
  std::lock_guard lock(mutex);
  for (graph_node* each : nodes) result.push_back(make_handle(shared<graph_node>(each)));
  return result;
}

} // namespace

void set_dynamic_argument(handler_impl& handler, int index, const shared<counted>& value) {
  handler.add_argument({index, shared<dynamic_value>(static_cast<dynamic_value*>(value.get()))});
}

void require_dynamic(handler_impl& handler, const shared<counted>& value) {
  if (!handler.is_added()) throw_invalid("require: dynamic parameters are for command groups of command_graph::add");
  const requirement use = static_cast<dynamic_value&>(*value).use();
  if (!use.memory) throw_invalid("require: the parameter is no accessor");
  handler.require(shared<buffer_record>(&record_of(use)), use.mode, use.no_init, use.part);
}

void set_graph(handler_impl& handler, const shared<counted>& graph) {
  handler.set_graph(shared<executable_graph>(static_cast<executable_graph*>(graph.get())));
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------- queues

graphs::queue_state queue::ext_oneapi_get_state() const {
  return m_impl->is_recording() ? graphs::queue_state::recording : graphs::queue_state::executing;
}

modifiable queue::ext_oneapi_get_graph() const {
  const shared<detail::modifiable_graph> graph = m_impl->graph();
  if (!graph) detail::throw_invalid("ext_oneapi_get_graph: the queue does not record");
  return object_access::make<modifiable>(make_counted<detail::graph_handle>(graph));
}

event queue::ext_oneapi_graph(const executable& graph) {
  return submit([&](handler& group) { group.ext_oneapi_graph(graph); });
}
event queue::ext_oneapi_graph(const executable& graph, const event& dependency) {
  return after(dependency, [&](handler& group) { group.ext_oneapi_graph(graph); });
}
event queue::ext_oneapi_graph(const executable& graph, const std::vector<event>& dependencies) {
  return after(dependencies, [&](handler& group) { group.ext_oneapi_graph(graph); });
}

} // namespace sycl

namespace sycl::inline _V1::ext::oneapi::experimental {

using namespace sycl::detail;

// ----------------------------------------------------------------------------------------------------------- nodes

node_type node::get_type() const { return node_of(*this).type(); }

std::vector<node> node::get_predecessors() const {
  return make_handles(node_of(*this).mutex(), node_of(*this).predecessors);
}
std::vector<node> node::get_successors() const {
  return make_handles(node_of(*this).mutex(), node_of(*this).successors);
}

node node::get_node_from_event(event recorded) {
  const dependency its = object_access::get_dependency(recorded);
  if (!its.node || !its.node->recorded) {
    throw_invalid("node::get_node_from_event: the event is not of a command that was recorded to a graph");
  }
  return make_handle(shared<graph_node>(static_cast<graph_node*>(its.node->recorded.get())));
}

void node::update_geometry(int dimensions, const std::size_t* global, const std::size_t* local,
                           const std::size_t* offset) {
  node_of(*this).change_geometry(dimensions, global, local, offset);
}

// ------------------------------------------------------------------------------------------------ executable graphs

void executable::update(const node& changed) {
  const shared<graph_node> its(&node_of(changed));
  graph_of(*this).update({&its, 1});
}

void executable::update(const std::vector<node>& changed) {
  std::vector<shared<graph_node>> nodes;
  for (const node& each : changed) nodes.emplace_back(&node_of(each));
  graph_of(*this).update(nodes);
}

void executable::update(const modifiable& as) {
  const auto& mine = static_cast<const queue_impl&>(*graph_of(*this).home());
  const auto& its = static_cast<const queue_impl&>(*graph_of(as).queue());
  if (mine.get_device() != its.get_device() || mine.get_context() != its.get_context()) {
    throw_invalid("update: the other graph is for another device or context");
  }
  graph_of(*this).update_as(graph_of(as));
}

std::size_t executable::get_required_mem_size() const noexcept { return graph_of(*this).own_memory(); }

// ------------------------------------------------------------------------------------------------ modifiable graphs

modifiable::command_graph(const context& context, const device& device, const property_list& properties)
    : m_impl(make_graph(context, device, properties)) {}
modifiable::command_graph(const queue& queue, const property_list& properties)
    : command_graph(queue.get_context(), queue.get_device(), properties) {}
modifiable::command_graph(const device& device, const property_list& properties)
    : command_graph(queue(device), properties) {}
modifiable::command_graph(shared<counted> impl) noexcept : m_impl(std::move(impl)) {}
modifiable::command_graph(const command_graph& other) noexcept = default;
modifiable::command_graph(command_graph&& other) noexcept = default;
modifiable& modifiable::operator=(command_graph other) noexcept {
  std::swap(m_impl, other.m_impl);
  return *this;
}
modifiable::~command_graph() = default;

executable modifiable::finalize(const property_list& properties) const {
  namespace wanted = property::graph;
  auto made = make_counted<executable_graph>(
      graph_of(*this), executable_graph::options{properties.has_property<wanted::updatable>(),
                                                 properties.has_property<wanted::enable_profiling>(),
                                                 properties.has_property<ext::sinter::property::graph::fuse>(),
                                                 detail::lasting_values});
  // The memory is not in use, because only one executable graph may use the memory at a time.
  if (const auto zeroed = graph_of(*this).memory()->zeroed(); !zeroed.empty()) {
    const auto& home = static_cast<const queue_impl&>(*graph_of(*this).queue());
    queue filling(home.get_context(), home.get_device());
    for (const detail::graph_memory::piece& each : zeroed) filling.memset(each.memory, 0, each.bytes);
    filling.wait_and_throw();
  }
  return object_access::make<executable>(std::move(made));
}

void modifiable::begin_recording(queue& recorded, const property_list&) {
  object_access::impl(recorded)->start_recording(handle_of(*this).graph);
}
void modifiable::begin_recording(const std::vector<queue>& recorded, const property_list& properties) {
  std::size_t started = 0;
  try {
    for (; started < recorded.size(); ++started) {
      queue each = recorded[started];
      begin_recording(each, properties);
    }
  } catch (...) {
    // If one queue can't begin to record, no queue records.
    while (started-- > 0) handle_of(*this).stop(*object_access::impl(recorded[started]));
    throw;
  }
}

void modifiable::end_recording() { handle_of(*this).end_recording(); }
void modifiable::end_recording(queue& recorded) {
  const shared<queue_impl>& its = object_access::impl(recorded);
  const shared<modifiable_graph> graph = its->graph();
  if (!graph) return;
  if (graph.get() != &graph_of(*this)) throw_invalid("end_recording: the queue records to a different graph");
  handle_of(*this).stop(*its);
}
void modifiable::end_recording(const std::vector<queue>& recorded) {
  for (queue each : recorded) end_recording(each);
}

node modifiable::add(const property_list& properties) {
  return make_handle(graph_of(*this).add(graph_of(*this).make_choices({make_counted<node_work>()}),
                                         nodes_before(properties),
                                         properties.has_property<property::node::depends_on_all_leaves>()));
}

node modifiable::add_group(void (*call)(void* function, handler& group), void* function,
                           const property_list& properties) {
  const shared<modifiable_graph>& graph = handle_of(*this).graph;
  graph->check_not_recording("add");
  std::vector<shared<graph_node>> before = nodes_before(properties);
  std::vector<dynamic_argument> arguments;
  const shared<node_choices> work = graph->make_choices({work_of(graph, call, function, before, arguments)});
  const shared<graph_node> added =
      graph->add(work, before, properties.has_property<property::node::depends_on_all_leaves>());
  for (const dynamic_argument& each : arguments) each.value->follow(work, 0, each.argument);
  return make_handle(added);
}

node modifiable::add(dynamic_command_group& groups, const property_list& properties) {
  const shared<modifiable_graph>& graph = handle_of(*this).graph;
  graph->check_not_recording("add");
  const auto& all = static_cast<const dynamic_group&>(*object_access::impl(groups));
  if (all.choices->graph_id() != graph->id()) {
    throw_invalid("add: the dynamic_command_group was made for another graph");
  }
  if (std::any_of(all.before.begin(), all.before.end(), [&](const auto& each) { return each != all.before.front(); })) {
    throw_invalid("add: the command groups of a dynamic_command_group name different events in depends_on");
  }
  std::vector<shared<graph_node>> before = nodes_before(properties);
  before.insert(before.end(), all.before.front().begin(), all.before.front().end());
  return make_handle(graph->add(all.choices, before,
                                properties.has_property<property::node::depends_on_all_leaves>()));
}

void modifiable::make_edge(node& before, node& after) {
  graph_of(*this).add_edge(node_of(before), node_of(after));
}

void modifiable::print_graph(std::string path, bool verbose) const { graph_of(*this).print(path, verbose); }

std::vector<node> modifiable::get_nodes() const {
  std::vector<node> result;
  std::lock_guard lock(graph_of(*this).mutex());
  for (const shared<graph_node>& each : graph_of(*this).nodes()) result.push_back(make_handle(each));
  return result;
}

std::vector<node> modifiable::get_root_nodes() const {
  std::vector<node> result;
  std::lock_guard lock(graph_of(*this).mutex());
  for (const shared<graph_node>& each : graph_of(*this).nodes()) {
    if (each->predecessors.empty()) result.push_back(make_handle(each));
  }
  return result;
}

bool modifiable::empty() const {
  std::lock_guard lock(graph_of(*this).mutex());
  return graph_of(*this).nodes().empty();
}

void modifiable::keep_until_end(shared<counted> object) { graph_of(*this).end()->keep(std::move(object)); }

std::size_t modifiable::get_id() const noexcept { return graph_of(*this).id(); }

// -------------------------------------------------------------------------------------------------- memory of graphs

void* async_malloc(handler& group, usm::alloc kind, std::size_t bytes) {
  detail::handler_impl& its = implementation(group);
  if (its.is_recorded()) return its.allocate(kind, bytes, /*zeroed=*/false);
  const auto& home = its.queue();
  const auto pool = detail::usual_pool(home.get_context(), home.get_device(), kind);
  return detail::allocate_in_order(its, detail::shared(&static_cast<detail::pool_memory&>(*pool)), bytes);
}
void* async_malloc_from_pool(handler& group, std::size_t bytes, const memory_pool& pool) {
  detail::handler_impl& its = implementation(group);
  const auto& home = its.queue();
  const bool of_host = pool.get_alloc_kind() == usm::alloc::host;
  if (pool.get_context() != home.get_context() || (!of_host && pool.get_device() != home.get_device())) {
    detail::throw_invalid("async_malloc_from_pool: the pool is for another context or device than the queue or graph");
  }
  if (!its.is_recorded()) {
    const auto& memory = detail::pool_access::of(pool);
    return detail::allocate_in_order(its, detail::shared(&static_cast<detail::pool_memory&>(*memory)), bytes);
  }
  return its.allocate(pool.get_alloc_kind(), bytes, pool.has_property<property::memory_pool::zero_init>());
}
void async_free(handler& group, void* memory) {
  detail::handler_impl& its = implementation(group);
  its.is_recorded() ? its.free(memory) : detail::free_in_order(its, memory);
}

// --------------------------------------------------------------------------------------------------- dynamic groups

dynamic_command_group::dynamic_command_group(const modifiable& graph,
                                             const std::vector<std::function<void(handler&)>>& groups) {
  if (groups.empty()) throw_invalid("dynamic_command_group: there is no command group");
  std::vector<shared<node_work>> works;
  std::vector<std::vector<shared<graph_node>>> before;
  std::vector<std::vector<dynamic_argument>> arguments;
  for (const std::function<void(handler&)>& each : groups) {
    works.push_back(work_of(
        handle_of(graph).graph,
        [](void* call, handler& group) { (*static_cast<const std::function<void(handler&)>*>(call))(group); },
        const_cast<void*>(static_cast<const void*>(&each)), before.emplace_back(), arguments.emplace_back()));
    const node_work& made = *works.back();
    if (!made.kernel && !made.host) {
      throw_invalid("dynamic_command_group: command groups have kernels or host tasks, not other commands");
    }
    if (made.type != works.front()->type) {
      throw_invalid("dynamic_command_group: command groups have all kernels, or all host tasks");
    }
  }
  const shared<node_choices> choices = graph_of(graph).make_choices(std::move(works));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const dynamic_argument& each : arguments[i]) each.value->follow(choices, i, each.argument);
  }
  m_impl = make_counted<dynamic_group>(choices, std::move(before));
}
std::size_t dynamic_command_group::get_active_index() const {
  return static_cast<dynamic_group&>(*m_impl).active();
}
void dynamic_command_group::set_active_index(std::size_t index) {
  static_cast<dynamic_group&>(*m_impl).choose(index);
}

} // namespace sycl::ext::oneapi::experimental
