#include <abi/byte_count.hpp>
#include <abi/planted_error.hpp>
#include <algorithm>
#include <backends/global_memory.hpp>
#include <base/count_text.hpp>
#include <base/per_thread.hpp>
#include <bit>
#include <cstring>
#include <images/code_variant.hpp>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <memory/argument_binding.hpp>
#include <memory/buffer_record.hpp>
#include <memory/usm.hpp>
#include <optional>
#include <runtime/adapted_values.hpp>
#include <runtime/image_memory.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/image_memory.hpp>
#include <runtime/launch_rules.hpp>
#include <scheduler/device_memory.hpp>

namespace sycl::inline _V1 {

void handler::depends_on(const event& dependency) {
  m_impl.depends_on(detail::object_access::get_dependency(dependency));
}

void handler::depends_on(const std::vector<event>& dependencies) {
  for (const event& dependency : dependencies) depends_on(dependency);
}

namespace detail {

const optional_parts handler_impl::no_optional_parts;

namespace {

/// Memory that the thread's next command group uses again for its requirements.
struct spare_requirements {
  std::vector<requirement> memory;
};
// Most command groups have no more requirements than this, so one allocation is enough.
constexpr std::size_t usual_requirements = 4;

}  // namespace

handler_impl::~handler_impl() {
  delete m_optional;
  if (m_requirements.empty() || m_requirements.capacity() > 64) return;
  m_requirements.clear();
  m_requirements.swap(sinter::per_thread<spare_requirements>().memory);
}

handler_impl& implementation(handler& group) noexcept { return group.m_impl; }

void handler_impl::refuse_second(const std::string& name) const {
  const std::string first =
      m_operation.is_kernel ? sinter::kernel_display_name(*m_operation.launch.kernel) : m_operation.name;
  detail::throw_error(errc::invalid, "a command group holds one command: '" + name + "' follows '" +
                                                          first + "'; submit a second command group");
}

void handler_impl::claim(node_type type, const char* name) {
  if (m_has_command) refuse_second(name);
  m_has_command = true;
  m_type = type;
  m_operation.name = name;
}

void handler_impl::set(node_type type, const char* name, task work, cost estimate) {
  claim(type, name);
  m_operation.work = std::move(work);
  m_operation.estimate = estimate;
  m_on_host = true;
}

void handler_impl::set(node_type type, const char* name, const sinter::memory_work& work, cost estimate) {
  claim(type, name);
  m_operation.memory = work;
  m_operation.estimate = estimate;
}

void handler_impl::set_native(shared<native_work> work) {
  claim(node_type::native_command, "native_command");
  make_optional().native = std::move(work);
  m_operation.estimate = 0;
}

void handler_impl::set_marker(node_type type, const char* name) {
  claim(type, name);
  m_operation.estimate = 0;
}

sinter::kernel_launch& handler_impl::set_kernel(function_object&& function, sinter::abi::kernel_descriptor& kernel,
                                                const launch_geometry& geometry) {
  if (m_has_command) refuse_second(sinter::kernel_display_name(kernel));
  claim(node_type::kernel, "kernel");
  m_operation.is_kernel = true;
  m_operation.function = std::move(function);
  sinter::kernel_launch& launch = m_operation.launch;
  static_cast<launch_geometry&>(launch) = geometry;
  launch.kernel = &kernel;
  launch.local_memory_bytes = m_local_bytes;
  launch.block = m_operation.function.get();
  m_operation.estimate = estimate_launch(launch);
  return launch;
}

void handler_impl::require(shared<buffer_record> record, access_mode mode, bool no_init, const region& part,
                           bool of_host) {
  if (m_requirements.empty()) {
    m_requirements.swap(sinter::per_thread<spare_requirements>().memory);
    if (m_requirements.capacity() == 0) m_requirements.reserve(usual_requirements);
  }
  m_requirements.emplace_back(record, mode, part, nullptr, no_init, of_host);
  keep(std::move(record));
}

bool handler_impl::requires_record(const buffer_record* record) const noexcept {
  return std::any_of(m_requirements.begin(), m_requirements.end(),
                     [&](const requirement& each) { return each.memory.get() == record; });
}

shared<buffer_record> handler_impl::record_at(const char* address) const noexcept {
  for (const requirement& each : m_requirements) {
    buffer_record& record = record_of(each);
    const auto* data = static_cast<const char*>(record.data());
    if (address >= data && address < data + record.bytes()) return shared<buffer_record>(&record);
  }
  return nullptr;
}

namespace {

/// Adds `bytes` and returns their offset. A sum that is too large saturates.
std::size_t append(std::size_t& used, std::size_t bytes, std::size_t alignment) {
  const std::size_t offset = sinter::abi::align_bytes(used, alignment);
  used = sinter::abi::add_bytes(offset, bytes);
  if (used == sinter::abi::too_many_bytes && sinter::abi::is_planted("memory_sums")) used = offset + bytes;
  return offset;
}

} // namespace

std::size_t handler_impl::add_local_memory(std::size_t bytes, std::size_t alignment) {
  return append(m_local_bytes, bytes, std::max<std::size_t>(alignment, 64));
}

namespace {

/// Returns whether the kernel takes raw pointers. Without an image this is unknown, and the result is true.
bool captures_pointers(const sinter::kernel_launch& launch) {
  const sinter::kernel_view kernel(*launch.kernel);
  const auto leaves = kernel.leaves();
  return !kernel.has_image() || std::any_of(leaves.begin(), leaves.end(), [](const auto& leaf) {
    return leaf.kind == sinter::abi::leaf_kind::global_pointer;
  });
}

} // namespace

/// Notes that the command uses the device's memory.
void handler_impl::name_device() {
  for (requirement& each : m_requirements) {
    if (!m_on_host || !each.of_host) each.place = &m_queue->backend();
  }
}

/// Calls name_device, and allocates memory on the device for every buffer.
void handler_impl::bring_to_device() {
  name_device();
  for (const requirement& each : m_requirements) {
    if (!each.place) continue;
    record_of(each).reserve(m_queue->backend(), finisher::caller);
  }
}

/// Calls bring_to_device, and writes the addresses on the device into the command's arguments.
void handler_impl::bind_to_device() {
  bring_to_device();
  sinter::device_backend& device = m_queue->backend();
  if (m_operation.is_kernel) {
    const sinter::abi::kernel_descriptor& kernel = *m_operation.launch.kernel;
    const sinter::image_use keep_image(kernel);
    const std::span<const sinter::abi::image_leaf> leaves = sinter::kernel_view(kernel).leaves();
    m_operation.launch.disjoint = accessors_are_disjoint(leaves, m_operation.function.get(), m_requirements);
    bind_arguments(leaves, m_operation.function.get(), device);
    for (const optional_parts::bound_pointer& each : optional().pointers) {
      char* const place = static_cast<char*>(m_operation.function.get()) + each.offset;
      const void* address = nullptr;
      std::memcpy(&address, place, sizeof(address));
      address = each.record->address_on(device, address);
      std::memcpy(place, &address, sizeof(address));
    }
  } else {
    bind_memory(m_operation.memory, m_requirements, device);
  }
}

shared<kernel_work> handler_impl::make_kernel_work() {
  auto made =
      make_counted<kernel_work>(std::move(m_operation.function), m_operation.launch, m_queue->hardware().backend());
  if (!m_optional) return made;
  made->owner = std::move(m_optional->kernel_owner);
  made->memories = std::move(m_optional->temporaries);
  return made;
}

command_ptr handler_impl::make_node() {
  auto node = make_counted<command>();
  node->name = m_operation.name;
  node->queue = m_queue;
  node->keep.swap(m_keep);
  node->estimate = m_has_command ? m_operation.estimate : 0;
  if (m_operation.is_kernel) {
    node->kernel = make_kernel_work();
  } else {
    node->memory = m_operation.memory;
    node->work = std::move(m_operation.work);
    if (m_optional) node->native = std::move(m_optional->native);
    node->on_host = m_on_host;
  }
  return node;
}

void handler_impl::depends_on_node(const dependency& before) {
  const bool is_node = before.node && before.node->recorded;
  if (!is_node) {
    // Default events are complete and have no command.
    if (!before.node && !before.order) return;
    throw_invalid("depends_on: the command is recorded to a graph and can't wait for a command that is not; wait for "
                  "that one where the graph is submitted");
  }
  const shared<graph_node> node(static_cast<graph_node*>(before.node->recorded.get()));
  if (!m_graph) {
    // A command that waits for a recorded command is itself recorded to the graph, and so are the queue's later
    // commands.
    auto& recording = static_cast<queue_impl&>(*before.node->queue);
    const shared<modifiable_graph> graph = recording.graph();
    if (!graph || graph->id() != node->graph_id()) {
      throw_invalid("depends_on: the event is of a command that was recorded to a graph; commands outside of it wait "
                    "for the event of the graph's submission");
    }
    if (!m_dependencies.empty()) throw_invalid("depends_on: a recorded command can't wait for one that is not");
    if (m_workspace_bytes != 0) {
      throw_invalid("depends_on: say what a recorded command waits for before its reductions");
    }
    m_queue->start_recording(graph);
    m_graph = graph;
  }
  if (node->graph_id() != m_graph->id()) throw_invalid("depends_on: the event is of a command of another graph");
  make_optional().nodes_before.push_back(node);
}

void handler_impl::set_graph(const shared<executable_graph>& graph) {
  claim(node_type::subgraph, "graph");
  const auto& home = static_cast<const queue_impl&>(*graph->home());
  if (home.get_device() != m_queue->get_device() || home.get_context() != m_queue->get_context()) {
    throw_invalid("ext_oneapi_graph: the graph is for another device or context than the queue's");
  }
  make_optional().executable = graph;
}

namespace {

struct freed_allocation : counted {
  freed_allocation(void* its_memory, const context& home) : memory(its_memory), m_home(home) {}
  ~freed_allocation() override {
    try {
      sycl::free(memory, m_home);
    } catch (...) {
      // This fails only if the program has already freed the memory itself.
    }
  }
  void* const memory;

private:
  const context m_home;
};

}  // namespace

void* handler_impl::allocate(usm::alloc kind, std::size_t bytes, bool zeroed) {
  graph_memory& memory = *m_graph->memory();
  if (kind != usm::alloc::device) throw_invalid("async_malloc: memory of graphs is of kind usm::alloc::device");
  if (bytes == 0) throw_invalid("async_malloc: there have to be bytes");
  claim(node_type::async_malloc, "async_malloc");
  const device device = m_queue->get_device();
  void* const made = allocate_usm(bytes, 0, kind, m_queue->get_context(), &device);
  if (!made) {
    detail::throw_error(errc::memory_allocation, "async_malloc: no memory for " + std::to_string(bytes) +
                                                                      " bytes on device '" +
                                                                      device.get_info<info::device::name>() + "'");
  }
  auto owner = make_counted<freed_allocation>(made, m_queue->get_context());
  memory.add(made, bytes, owner, zeroed);
  return made;
}

void handler_impl::free(const void* memory) {
  graph_memory& its = *m_graph->memory();
  claim(node_type::async_free, "async_free");
  its.free(memory);
}

void handler_impl::add_argument(const dynamic_argument& argument) {
  if (!m_is_added) {
    throw_invalid("set_arg: dynamic parameters are for command groups of command_graph::add, not for what is submitted "
                  "to a queue");
  }
  make_optional().arguments.push_back(argument);
}

/// Checks a rule of sycl_ext_oneapi_graph: a graph's buffers must outlive the graph, and their contents must not be
/// written back while the graph exists.
void handler_impl::check_recorded_buffers() const {
  if (m_requirements.empty()) return;
  if (!m_graph->its_rules().takes_buffers) {
    throw_invalid("a command of a graph uses a buffer; make the graph with "
                  "property::graph::assume_buffer_outlives_graph");
  }
  check_graph_buffers(m_requirements);
}

shared<node_work> handler_impl::make_work() {
  check_recorded_buffers();
  const bool on_device = m_queue->works_by_itself() && !m_on_host;
  const shared<executable_graph>& executable = optional().executable;
  if (executable && executable->own_memory() != 0) {
    throw_invalid("ext_oneapi_graph: a graph that allocates memory (async_malloc) can't be part of another graph");
  }
  if (!arguments().empty() && !m_operation.is_kernel) throw_invalid("set_arg: only kernels have arguments");
  // On devices with memory of their own, finalize will fill in the addresses of buffers. All other arguments have to be
  // complete now, because drivers read them.
  const bool has_own_memory = on_device && m_queue->backend().has_own_memory();
  if (has_own_memory && optional().pointers.empty()) name_device();
  if (has_own_memory && !optional().pointers.empty()) bind_to_device();
  auto work = make_counted<node_work>();
  work->type = m_type;
  work->name = m_operation.name;
  work->estimate = m_has_command ? m_operation.estimate : 0;
  work->on_host = m_on_host;
  work->memory = m_operation.memory;
  work->graph = executable;
  work->requirements = executable ? executable->requirements() : std::move(m_requirements);
  m_keep.move_to(work->keep);
  if (m_optional) work->native = std::move(m_optional->native);
  if (m_operation.work) work->host = make_counted<holder<task>>(std::move(m_operation.work));
  if (!m_operation.is_kernel) return work;
  work->counters = optional().counters;
  work->kernel = make_kernel_work();
  work->launch = work->kernel->launch;
  work->ordinary_local_bytes = work->launch.local_memory_bytes;
  work->check = check_node;
  work->keeps_range = !work->kernel->memories.empty() || work->launch.finish || work->launch.visits_elements();
  for (std::size_t i = 0; i < arguments().size(); ++i) {
    dynamic_argument& each = m_optional->arguments[i];
    each.argument = each.value->put(*work, each.index);
  }
  // The kernel may capture dynamic memory itself, without a call of set_arg.
  for (const dynamic_value::captured& each : dynamic_value::captured_by(*work->launch.kernel, work->launch.block)) {
    make_optional().arguments.push_back({-1, each.value, each.value->put_captured(*work, each.place)});
  }
  work->make_ready();
  return work;
}

dependency handler_impl::record() {
  using barrier = modifiable_graph::barrier;
  const barrier kind = !m_is_barrier ? barrier::none : m_waits_for_all ? barrier::of_all : barrier::of_some;
  const shared<graph_node> node = m_graph->record(*m_queue, make_work(), nodes_before(), kind);
  auto stands_for_it = make_counted<command>();
  stands_for_it->name = "recorded command";
  stands_for_it->queue = m_queue;
  stands_for_it->recorded = node;
  return stands_for_it;
}

dependency handler_impl::submit_graph() {
  const shared<fusion_list> list = m_queue->fusion();
  if (list) warn_not_fused("graph");
  return optional().executable->submit(m_queue, std::move(m_dependencies), !list && !m_queue->fuses_automatically());
}

dependency handler_impl::finish() {
  if (m_graph) return record();
  if (optional().executable) return submit_graph();
  start_scheduler();
  queue_impl& queue = *m_queue;
  const bool on_device = queue.works_by_itself() && !m_on_host;
  if ((on_device || m_uses_natives) && queue.backend().has_own_memory()) {
    on_device ? bind_to_device() : bring_to_device();
  }
  const shared<fusion_list> list = queue.fusion();
  // Holds the kernel's image until the command holds it, because code for the launch's constants could otherwise be
  // freed in between.
  std::optional<sinter::image_use> keep_image;
  if (m_operation.launch.constants) keep_image.emplace(*m_operation.launch.kernel);
  const bool loads_now = !on_device && sinter::libraries_may_close();
  if (loads_now) queue.hardware().backend().load_all();
  // A kernel that a list may fuse needs no code of its own yet. It is compiled later if the list ends without fusion.
  if (m_operation.is_kernel && (on_device ? !list : loads_now)) queue.backend().prepare(m_operation.launch);
  if (!needs_node() && !list) {
    if (const std::uint64_t ticket = queue.push_simple(m_operation, m_dependencies)) {
      if (queue.fuses_automatically()) queue.pause().note_kernel();
      // Devices that work by themselves are asked for the state only when a thread needs it.
      if (!queue.works_by_itself() && !queue.is_complete(ticket)) queue.after_push();
      return {m_queue, ticket};
    }
  }
  return submit_node(list);
}

/// Returns whether the command needs a node. While a queue collects kernels, every command is a node.
bool handler_impl::needs_node() const noexcept {
  const queue_impl& queue = *m_queue;
  if (!queue.in_order() || queue.profiling() || queue.collects()) return true;
  return !m_requirements.empty() || m_keep.size() != 0 || optional().kernel_owner || optional().native;
}

dependency handler_impl::submit_node(const shared<fusion_list>& list) {
  queue_impl& queue = *m_queue;
  const bool is_kernel = m_operation.is_kernel;
  const bool collects = list || queue.collects();
  command_ptr node = make_node();
  const bool takes_pointers = is_kernel && collects && captures_pointers(node->kernel->launch);
  if (takes_pointers) {
    node->kernel->memories.reserve(node->kernel->memories.size() + m_requirements.size());
    for (const requirement& needed : m_requirements) {
      const buffer_record& record = record_of(needed);
      const void* begin = record.address_on(queue.backend(), record.data());
      node->kernel->memories.emplace_back(static_cast<const char*>(begin), record.bytes());
    }
  }
  if (is_kernel && collects && !list) {
    collected_kernel details{std::move(m_requirements), std::move(m_dependencies)};
    return queue.collect_automatically(node, details);
  }
  if (list && is_kernel) {
    // A program that asks for fusion may rely on the order of submission, so this order is kept even if the kernels are
    // not fused.
    collected_kernel details{std::move(m_requirements), std::move(m_dependencies), takes_pointers};
    if (command_ptr collected = list->collect(node, details)) return collected;
    // Another thread has ended the list, so the kernel needs code of its own.
    if (queue.works_by_itself()) queue.backend().prepare(node->kernel->launch);
    queue.submit(node, details.before, details.requirements);
    return node;
  }
  if (list && m_has_command) warn_not_fused(node->name);
  if (is_kernel && !list && queue.fuses_automatically()) queue.pause().note_kernel();
  queue.submit(node, m_dependencies, m_requirements);
  return node;
}

launch_geometry padded_geometry(int dimensions, const std::size_t* global, const std::size_t* local,
                                const std::size_t* offset) noexcept {
  launch_geometry result;
  for (int i = 0, at = 3 - dimensions; i < dimensions; ++i, ++at) {
    result.global_range[at] = global[i];
    if (local) result.local_range[at] = local[i];
    result.global_offset[at] = offset[i];
  }
  return result;
}

void add_requirement(handler_impl& handler, buffer_record* record, access_mode mode, bool no_init,
                     const access_region& part) {
  if (!record) throw_invalid("require: the accessor refers to no buffer");
  handler.require(shared<buffer_record>(record), mode, no_init, region(part, record->data(), record->bytes()),
                  part.of_host);
}

std::size_t add_local_memory(handler_impl& handler, std::size_t bytes, std::size_t alignment) {
  return handler.add_local_memory(bytes, alignment);
}

void* handler_impl::add_temporary(std::size_t bytes, std::size_t alignment, bool cleared) {
  const bool alone = m_queue->in_order() && !m_queue->may_fuse() && !m_graph;
  if (alone && !cleared && alignment <= queue_impl::workspace_alignment) {
    const std::size_t offset = append(m_workspace_bytes, bytes, alignment);
    return static_cast<char*>(m_queue->workspace(m_workspace_bytes)) + offset;
  }
  // Reductions have their counters in zeroed memory. When a reduction ends, it leaves zeros in this memory, so that the
  // next kernel can use the same memory.
  if (alone && cleared && m_queue->works_by_itself()) return m_queue->zeros(bytes);
  auto memory = make_counted<device_memory>(object_access::impl(m_queue->get_device()), bytes, alignment);
  if (cleared) m_queue->backend().fill({memory->data, 1, bytes, nullptr, {}});
  make_optional().temporaries.emplace_back(static_cast<const char*>(memory->data), bytes);
  keep(memory);
  return memory->data;
}

void* add_temporary(handler_impl& handler, std::size_t bytes, std::size_t alignment, bool cleared) {
  return handler.add_temporary(bytes, alignment, cleared);
}

bool finishes_on_host(const handler_impl& handler) noexcept {
  return !handler.queue().works_by_itself() && !handler.queue().may_fuse();
}

reduction_shape reduction_shape_for(const handler_impl& handler, std::size_t total,
                                    std::size_t bytes_of_each) noexcept {
  if (handler.queue().backend().facts().is_this_process) return {reduction_runs(total), reduction_sums};
  // A GPU gets at most 1024 groups: enough to fill the GPU, and few enough for single work-items to combine the groups'
  // results in two steps. A CPU gets at most 128 groups, because fewer groups fill a CPU, and each group costs some
  // microseconds for barriers. Groups are smaller on devices with little local memory.
  constexpr std::size_t usual = 256, of_each = 8;
  const sinter::device_facts& facts = handler.queue().backend().facts();
  const std::size_t most = facts.is_cpu ? 128 : 1024;
  // Group functions need memory for one value more than the group has work-items.
  const std::size_t values = std::max<std::size_t>(facts.local_memory_bytes / bytes_of_each, 2);
  const std::size_t group =
      std::max<std::size_t>(std::min<std::size_t>({usual, facts.most_items(2), std::bit_floor(values - 1)}), 1);
  return {std::clamp<std::size_t>(total / (group * of_each), 1, most), group};
}

void set_finish(handler_impl& handler, void (*finish)(const void* function), const kernel_counters& counters) {
  handler.set_finish(finish, counters);
}

void check_hierarchical_group(std::size_t work_items) {
  if (work_items >= 1 && work_items <= hierarchical_group_limit) return;
  detail::throw_error(errc::nd_range,
                  "parallel_for_work_group: a work-group of " + sinter::count_text(work_items) +
                      " work-items; there may be 1 to " + std::to_string(hierarchical_group_limit) +
                      ", for which private_memory has room (info::device::max_work_group_size is for other kernels)");
}

std::size_t checked_reduction_items(std::size_t work_items) {
  if (work_items != sinter::abi::too_many_bytes) return work_items;
  detail::throw_error(errc::nd_range, "a reduction over more work-items than 64 bits can count");
}

void refuse_local_memory(const handler_impl& handler) {
  if (handler.local_bytes() == 0) return;
  detail::throw_error(errc::kernel_argument,
                      "a local_accessor needs an nd_range kernel; launch it with parallel_for(nd_range, ...)");
}

void keep_alive(handler_impl& handler, shared<counted> object) { handler.keep(std::move(object)); }

void choose_local_range(const handler_impl& handler, int dimensions, const std::size_t* global, std::size_t* local) {
  constexpr std::size_t most = 256;
  const sinter::device_facts& facts = handler.queue().backend().facts();
  std::size_t left = std::min<std::size_t>(most, facts.max_work_group_size);
  for (int d = dimensions - 1; d >= 0; --d) {
    std::size_t size = std::min<std::size_t>(left, facts.most_items(static_cast<std::size_t>(3 - dimensions + d)));
    while (size > 1 && global[d] % size != 0) --size;
    local[d] = std::max<std::size_t>(size, 1);
    left /= local[d];
  }
}

namespace {

/// Fills in the local range that the kernel requires, or a local range that suits the device.
launch_geometry with_local_range(const handler_impl& handler, const sinter::abi::kernel_descriptor& kernel,
                                 const launch_geometry& geometry) {
  launch_geometry result = geometry;
  const sinter::kernel_view view(kernel);
  if (const std::uint32_t* required = view.required_work_group_size()) {
    std::copy(required, required + 3, result.local_range);
    return result;
  }
  std::size_t global[3], local[3];
  std::copy(geometry.global_range, geometry.global_range + 3, global);
  choose_local_range(handler, 3, global, local);
  std::copy(local, local + 3, result.local_range);
  return result;
}

}  // namespace

void set_kernel(handler_impl& handler, sinter::abi::kernel_descriptor& kernel, const launch_geometry& geometry,
                function_object&& function) {
  if (geometry.local_range[2] == sinter::abi::automatic_local_range) {
    return set_kernel(handler, kernel, with_local_range(handler, kernel, geometry), std::move(function));
  }
  check_launch(handler, kernel, geometry, function.get());
  sinter::kernel_launch& launch = handler.set_kernel(std::move(function), kernel, geometry);
  launch.constants = handler.constants_of(kernel);
  // Recorded launches get no constants here, because their arguments can change. Launches that may be fused get none,
  // because fused code has constants of its own (fusion/fused_cache.cpp).
  if (launch.constants || handler.is_recorded() || handler.queue().may_fuse()) return;
  if (handler.queue().is_adaptive()) launch.constants = adapted_values(launch, handler.queue().backend());
  if (!launch.constants && (handler.uses_images() || has_image_handles())) {
    launch.constants = format_values(launch, handler.queue().backend());
  }
}

void set_host_task(handler_impl& handler, function_object&& function,
                   void (*call)(void* function, const queue_impl& queue), bool uses_natives) {
  if (uses_natives) handler.use_natives();
  handler.set(node_type::host_task, "host_task",
              [function = std::move(function), call, queue = handler.shared_queue()]() mutable {
                call(function.get(), *queue);
              });
}

namespace {

class native_command final : public native_work {
public:
  using function_type = void (*)(void* function, const queue_impl& queue, const native_place& place);
  native_command(function_object&& function, function_type call, const shared<queue_impl>& queue)
      : m_function(std::move(function)), m_call(call), m_queue(queue) {}
  void give_to(void* stream, void* graph) override { m_call(m_function.get(), *m_queue, {stream, graph}); }

private:
  function_object m_function;
  const function_type m_call;
  const shared<queue_impl> m_queue;
};

}  // namespace

void set_native_command(handler_impl& handler, function_object&& function,
                        void (*call)(void* function, const queue_impl& queue, const native_place& place)) {
  const shared<queue_impl>& queue = handler.shared_queue();
  if (queue->works_by_itself() && queue->backend().natives()) {
    return handler.set_native(make_counted<native_command>(std::move(function), call, queue));
  }
  if (handler.is_recorded()) {
    detail::throw_error(errc::feature_not_supported,
                        "ext_codeplay_enqueue_native_command: device '" + queue->backend().facts().name +
                            "' has no native graphs that a node could add to; use a host task, which runs in each "
                            "execution");
  }
  // A device that works by itself can't do this work in a stream, so the host does it.
  if (queue->works_by_itself()) handler.stay_on_host();
  handler.set(node_type::native_command, "native_command", [function = std::move(function), call, queue]() mutable {
    call(function.get(), *queue, {});
  });
}

namespace {

/// Throws errc::invalid if the elements have more bytes than memory can have.
void check_bytes(const char* name, std::size_t bytes) {
  if (bytes != sinter::abi::too_many_bytes) return;
  detail::throw_error(errc::invalid,
                      std::string(name) + ": so many elements have more bytes than memory can have");
}

} // namespace

void set_copy(handler_impl& handler, const char* name, void* destination, const void* source, std::size_t bytes) {
  if (bytes != 0 && (!destination || !source)) {
    detail::throw_error(errc::invalid, std::string(name) + ": a null pointer was given");
  }
  check_bytes(name, bytes);
  check_usm_end(name, "destination", destination, bytes);
  check_usm_end(name, "source", source, bytes);
  handler.set(node_type::memcpy, name, strided_copy::contiguous(destination, source, bytes), estimate_bytes(bytes));
}

void set_rectangle_copy(handler_impl& handler, void* destination, std::size_t destination_pitch, const void* source,
                        std::size_t source_pitch, std::size_t width, std::size_t height) {
  using sinter::abi::multiply_bytes;
  const std::size_t bytes = multiply_bytes(width, height);
  if (bytes == 0) return set_copy(handler, "memcpy2d", destination, source, 0);
  if (!destination || !source) throw_invalid("ext_oneapi_memcpy2d or copy2d: a null pointer was given");
  check_bytes("ext_oneapi_memcpy2d or copy2d", std::max({bytes, multiply_bytes(destination_pitch, height),
                                                         multiply_bytes(source_pitch, height)}));
  if (width == destination_pitch && width == source_pitch) {
    return set_copy(handler, "memcpy2d", destination, source, bytes);
  }
  check_usm_end("memcpy2d", "destination", destination, destination_pitch * (height - 1) + width);
  check_usm_end("memcpy2d", "source", source, source_pitch * (height - 1) + width);
  const strided_copy rows{static_cast<char*>(destination), static_cast<const char*>(source), width, height, 1,
                          destination_pitch, destination_pitch * height, source_pitch, source_pitch * height};
  handler.set(node_type::memcpy, "memcpy2d", rows, estimate_bytes(bytes));
}

namespace {

/// Returns the part's address on the queue's device.
char* place_of(handler_impl& handler, const device_global_part& part) {
  if (handler.is_recorded()) {
    throw_invalid("a copy of a device_global can't be a node of a graph; copy it before or behind, or let a kernel or "
                  "host task of the graph do it");
  }
  sinter::device_backend& device = handler.shared_queue()->backend();
  void* memory = const_cast<void*>(part.variable);
  if (!device.facts().is_this_process) {
    if (!device.has_addresses()) {
      detail::throw_error(errc::feature_not_supported,
                          "device '" + device.facts().name +
                              "' has no device_global, for it has no unified shared memory (no "
                              "aspect::usm_device_allocations); use a buffer, or another device");
    }
    memory = sinter::global_memory(device, part.variable, part.size);
  }
  return static_cast<char*>(memory) + part.first;
}

}  // namespace

void throw_beyond_device_global(std::size_t size) {
  detail::throw_error(errc::invalid,
                      "the copy goes beyond the end of the device_global: it has " + std::to_string(size) + " bytes");
}

void write_device_global(handler_impl& handler, const device_global_part& to, const void* source) {
  set_copy(handler, "memcpy", place_of(handler, to), source, to.bytes);
}

void read_device_global(handler_impl& handler, void* destination, const device_global_part& from) {
  set_copy(handler, "memcpy", destination, place_of(handler, from), from.bytes);
}

void set_strided_copy(handler_impl& handler, const char* name, const strided_copy& copy,
                      sinter::abi::pointer_end pointer) {
  sinter::memory_work work(copy);
  work.pointer = pointer;
  handler.set(node_type::memcpy, name, work, estimate_bytes(copy.bytes()));
}

void set_texel_copy(handler_impl& handler, const char* name, const sinter::texel_copy& copy) {
  handler.set(node_type::memcpy, name, sinter::memory_work(copy), estimate_bytes(copy.bytes()));
}

void set_memset(handler_impl& handler, void* destination, unsigned char value, std::size_t bytes) {
  set_pattern(handler, node_type::memset, "memset", destination, &value, sizeof(value), bytes);
}

void set_fill(handler_impl& handler, void* destination, const void* pattern, std::size_t pattern_bytes,
              std::size_t count) {
  set_pattern(handler, node_type::memfill, "fill", destination, pattern, pattern_bytes, count);
}

void set_pattern(handler_impl& handler, node_type type, const char* name, void* destination, const void* pattern,
                 std::size_t pattern_bytes, std::size_t count) {
  if (count != 0 && !destination) {
    detail::throw_error(errc::invalid, std::string(name) + ": a null pointer was given");
  }
  const std::size_t whole = sinter::abi::multiply_bytes(pattern_bytes, count);
  check_bytes(name, whole);
  check_usm_end(name, "memory", destination, whole);
  sinter::memory_fill fill{destination, pattern_bytes, count, nullptr, {}};
  // Most patterns are one element, which fits into `small`.
  if (pattern_bytes <= sizeof(fill.small)) {
    std::memcpy(fill.small, pattern, pattern_bytes);
  } else {
    const auto* bytes = static_cast<const char*>(pattern);
    auto kept = make_counted<holder<std::vector<char>>>(bytes, bytes + pattern_bytes);
    fill.large = kept->value.data();
    handler.keep(kept);
  }
  handler.set(type, name, fill, estimate_bytes(whole));
}

void set_update_host(handler_impl& handler, strided_copy part) {
  const shared<buffer_record> record = handler.record_at(part.source);
  handler.stay_on_host();
  if (!record || !record->separate_host_memory()) return handler.set_marker(node_type::memcpy, "update_host");
  part.destination = record->separate_host_memory() + (part.source - static_cast<const char*>(record->data()));
  handler.set(
      node_type::memcpy, "update_host",
      [part, record] {
        const auto held = record->lock();
        sinter::cpu_backend().copy(part);
      },
      estimate_bytes(part.bytes()));
}

void set_hint(handler_impl& handler, const void* pointer, std::size_t bytes, const int* advice) {
  const node_type type = advice ? node_type::memadvise : node_type::prefetch;
  const char* const name = name_of(type);
  const std::optional<usm_allocation> memory = usm_allocation_of(pointer);
  const bool moves = memory && memory->kind == usm::alloc::shared;
  if (!handler.queue().works_by_itself() || !moves) return handler.set_marker(type, name);
  handler.set(type, name, sinter::memory_hint{pointer, bytes, !advice, advice ? *advice : 0}, estimate_bytes(bytes));
}

void set_barrier(handler_impl& handler, bool of_all) { handler.set_barrier(of_all); }

void handler_impl::set_barrier(bool of_all) {
  if (m_is_added) {
    throw_invalid("ext_oneapi_barrier: command_graph::add takes no barriers; add an empty node with "
                  "property::node::depends_on_all_leaves");
  }
  set_marker(node_type::ext_oneapi_barrier, "barrier");
  if (m_queue->in_order()) return;
  m_is_barrier = true;
  m_waits_for_all = of_all;
  if (!of_all || m_graph) return;
  m_queue->end_window();
  for (command_ptr& earlier : m_queue->outstanding()) depends_on(std::move(earlier));
}

} // namespace detail
} // namespace sycl
