#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <backends/launch_counts.hpp>
#include <base/count_text.hpp>
#include <base/environment.hpp>
#include <runtime/handler_impl.hpp>
#include <scheduler/attendant.hpp>
#include <scheduler/transfer_counts.hpp>
#include <runtime/queue_registry.hpp>
#include <sycl/ext/codeplay/experimental/fusion_properties.hpp>
#include <sycl/ext/sinter/adaptive.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/ext/sinter/trust_accesses.hpp>
#include <sycl/ext/sinter/counters.hpp>

namespace sycl::inline _V1 {

namespace {

/// Returns the platform's default context, for queues that are made without a context (SYCL 2020 4.6.5). The context is
/// never destroyed, because queues may outlive static objects.
const context& default_context(const platform& of) {
  static std::mutex& mutex = *new std::mutex;
  static auto& contexts = *new std::map<int, context>;
  std::lock_guard lock(mutex);
  // The context is made for one platform only, so that the drivers of other platforms need not be asked.
  return contexts.try_emplace(detail::object_access::id(of), of).first->second;
}

} // namespace

queue::queue(const property_list& properties) : queue(device(), properties) {}
queue::queue(const async_handler& handler, const property_list& properties) : queue(device(), handler, properties) {}
queue::queue(const device& device, const property_list& properties) : queue(device, {}, properties) {}
queue::queue(const device& device, const async_handler& handler, const property_list& properties)
    : queue(default_context(device.get_platform()), device, handler, properties) {}
queue::queue(const context& context, const device& device, const property_list& properties)
    : queue(context, device, {}, properties) {}
queue::queue(const context& context, const device& device, const async_handler& handler,
             const property_list& properties)
    : queue(context, device, handler, properties, nullptr) {}
queue::queue(const context& context, const device& device, const async_handler& handler,
             const property_list& properties, void* native)
    : with_properties(properties) {
  if (!detail::object_access::impl(context)->contains(device)) {
    detail::throw_error(errc::invalid, "queue: device '" + device.get_info<info::device::name>() +
                                                            "' is not in the context; make the context of this device");
  }
  m_impl = detail::make_counted<detail::queue_impl>(context, detail::object_access::impl(context)->own(device), handler,
                                                    properties, native);
  m_impl->add_handle();
  detail::queue_registry::instance().add(m_impl);
}

queue::queue(const queue& other) noexcept : queue_handle(other), with_properties(other) {
  if (m_impl) m_impl->add_handle();
}
queue::queue(queue&&) noexcept = default;
queue& queue::operator=(queue other) noexcept {
  with_properties::operator=(other);
  std::swap(m_impl, other.m_impl);
  return *this;
}
queue::~queue() {
  if (m_impl) m_impl->drop_handle();
}

context queue::get_context() const { return m_impl->get_context(); }
device queue::get_device() const { return m_impl->get_device(); }
backend queue::get_backend() const noexcept { return m_impl->get_device().get_backend(); }
bool queue::is_in_order() const noexcept { return m_impl->in_order(); }

template <>
SINTER_EXPORT context queue::get_info<info::queue::context>() const {
  return get_context();
}
template <>
SINTER_EXPORT device queue::get_info<info::queue::device>() const {
  return get_device();
}

event queue::submit_group(void (*call)(void* function, handler& group), void* function) {
  detail::handler_impl impl(m_impl);
  handler group = detail::object_access::make_handler(impl);
  call(function, group);
  m_impl->await_barrier(impl);
  detail::dependency submitted = impl.finish();
  if (impl.is_barrier() && !impl.is_recorded()) m_impl->set_barrier(submitted);
  return detail::object_access::make_event(std::move(submitted));
}

std::optional<event> queue::ext_oneapi_get_last_event() const {
  if (!is_in_order()) detail::throw_invalid("ext_oneapi_get_last_event: the queue is out of order: none is its last");
  const detail::dependency last = m_impl->last();
  if (!last.node && last.ticket == 0) return std::nullopt;
  return detail::object_access::make_event(last);
}

void queue::ext_oneapi_set_external_event(const event& external) {
  if (!is_in_order()) detail::throw_invalid("ext_oneapi_set_external_event: the queue is not in order; use depends_on");
  m_impl->set_external(detail::object_access::get_dependency(external));
}

#define SINTER_UNPACK(...) __VA_ARGS__
#define SINTER_QUEUE_SHORTCUT(name, parameters, arguments)                                                            \
  event queue::name(SINTER_UNPACK parameters) {                                                                       \
    return submit([&](handler& group) { group.name arguments; });                                                     \
  }                                                                                                                   \
  event queue::name(SINTER_UNPACK parameters, const event& dependency) {                                              \
    return after(dependency, [&](handler& group) { group.name arguments; });                                          \
  }                                                                                                                   \
  event queue::name(SINTER_UNPACK parameters, const std::vector<event>& dependencies) {                               \
    return after(dependencies, [&](handler& group) { group.name arguments; });                                        \
  }
SINTER_QUEUE_SHORTCUT(memcpy, (void* destination, const void* source, std::size_t bytes), (destination, source, bytes))
SINTER_QUEUE_SHORTCUT(memset, (void* pointer, int value, std::size_t bytes), (pointer, value, bytes))
SINTER_QUEUE_SHORTCUT(prefetch, (const void* pointer, std::size_t bytes), (pointer, bytes))
SINTER_QUEUE_SHORTCUT(mem_advise, (const void* pointer, std::size_t bytes, int advice), (pointer, bytes, advice))
#undef SINTER_QUEUE_SHORTCUT
#undef SINTER_UNPACK

bool queue::ext_codeplay_supports_fusion() const noexcept { return m_impl->fusable(); }
bool queue::ext_codeplay_is_in_fusion_mode() const noexcept {
  return static_cast<bool>(m_impl->fusion());
}

void queue::ext_codeplay_start_fusion() {
  if (!m_impl->fusable()) {
    detail::throw_invalid("start_fusion: the queue was made without "
                          "ext::codeplay::experimental::property::queue::enable_fusion");
  }
  m_impl->start_fusion();
}

void queue::ext_codeplay_cancel_fusion() {
  if (const detail::shared<detail::fusion_list> list = m_impl->fusion())
    return list->end_early(detail::list_end::cancelled);
  detail::warn_fusion("cancel_fusion: the queue is not in fusion mode");
}

event queue::ext_codeplay_complete_fusion(const property_list& properties) {
  const detail::shared<detail::fusion_list> list = m_impl->latest_fusion();
  if (!list) detail::throw_invalid("complete_fusion: Calling complete_fusion on a queue not in fusion mode");
  namespace fusion = ext::codeplay::experimental::property;
  detail::fusion_options options;
  options.tiles = true;
  options.no_barriers = properties.has_property<fusion::no_barriers>();
  options.force = properties.has_property<fusion::force_fusion>();
  options.trusted =
      properties.has_property<ext::sinter::property::fusion::trust_accesses>() || m_impl->trusts_accesses();
  return detail::object_access::make_event(list->complete(options));
}

void queue::wait() {
  if (m_impl->is_recording()) {
    detail::throw_invalid("queue::wait: the queue records commands to a graph, and nothing runs; call end_recording "
                          "first");
  }
  if (m_impl->in_order()) {
    if (!m_impl->is_through()) detail::wait_for(m_impl->last());
    return;
  }
  for (const auto& command : m_impl->outstanding()) detail::wait_for(command);
}

void queue::wait_and_throw() {
  wait();
  m_impl->throw_asynchronous();
}

void queue::throw_asynchronous() { m_impl->throw_asynchronous(); }

bool queue::khr_empty() const {
  if (m_impl->in_order()) return detail::state_of(m_impl->last()) == detail::command::state::complete;
  const auto commands = m_impl->outstanding();
  return std::all_of(commands.begin(), commands.end(),
                     [](const auto& each) { return detail::state_of(each) == detail::command::state::complete; });
}

void queue::khr_flush() const {
  if (m_impl->in_order()) return detail::start_soon(m_impl->last());
  for (const auto& command : m_impl->outstanding()) detail::start_soon(command);
}

context platform::khr_get_default_context() const { return default_context(*this); }
context platform::ext_oneapi_get_default_context() const { return default_context(*this); }

namespace detail {

namespace {

void print_errors(const std::vector<std::exception_ptr>& errors) {
  for (const std::exception_ptr& error : errors) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& caught) {
      std::fprintf(stderr, "sinter: asynchronous error: %s\n", caught.what());
    } catch (...) {
      std::fprintf(stderr, "sinter: asynchronous error of unknown type\n");
    }
  }
}

bool measures(const device& device, const property_list& properties) {
  if (!properties.has_property<property::queue::enable_profiling>()) return false;
  if (device.has(aspect::queue_profiling)) return true;
  detail::throw_error(errc::feature_not_supported,
                      "property::queue::enable_profiling: device '" + device.get_info<info::device::name>() +
                          "' lacks aspect::queue_profiling; leave the property out");
}

} // namespace

queue_impl::queue_impl(context context, device device, async_handler handler, const property_list& properties,
                       void* native)
    : submission_queue(object_access::impl(device)->backend(), properties.has_property<property::queue::in_order>(),
                       measures(device, properties), native),
      m_context(std::move(context)),
      m_device(std::move(device)),
      m_handler(std::move(handler)),
      m_fusable(properties.has_property<ext::codeplay::experimental::property::queue::enable_fusion>()),
      m_automatic(properties.has_property<ext::sinter::property::queue::auto_fusion>()),
      m_adaptive(properties.has_property<ext::sinter::property::queue::adaptive>()),
      m_trusts_accesses(properties.has_property<ext::sinter::property::fusion::trust_accesses>()) {}

command_ptr queue_impl::collect_automatically(const command_ptr& kernel, collected_kernel& details) {
  for (;;) {
    if (pause().is_on()) {
      pause().note_kernel();
      submit(kernel, details.before, details.requirements);
      return kernel;
    }
    shared<fusion_list> list;
    {
      std::lock_guard lock(m_mutex);
      if (!m_window || !m_window->is_active()) m_window = fusion_list::start(shared<queue_impl>(this), true);
      list = m_window;
    }
    if (!list->fits(*kernel, details.requirements)) {
      list->end_early(list_end::window);
      continue;
    }
    if (list->collect(kernel, details)) return kernel;
  }
}

shared<fusion_list> queue_impl::active_fusion() {
  shared<fusion_list> list = latest_fusion();
  return list && list->is_active() ? list : nullptr;
}

shared<fusion_list> queue_impl::latest_fusion() {
  std::lock_guard lock(m_mutex);
  return m_fusion;
}

void queue_impl::start_fusion() {
  end_window();
  std::lock_guard lock(m_mutex);
  if (m_graph) {
    throw_invalid("start_fusion: the queue records commands to a graph; call end_recording first, or leave fusion to "
                  "the graph (ext::sinter::property::graph::fuse at finalize)");
  }
  if (m_fusion && m_fusion->is_active()) {
    throw_invalid("start_fusion: Queue already in fusion mode; complete or cancel the fusion first");
  }
  m_fusion = fusion_list::start(shared<queue_impl>(this), false);
}

void queue_impl::end_window() {
  shared<fusion_list> window;
  {
    std::lock_guard lock(m_mutex);
    window = m_window;
  }
  if (window) window->end_early(list_end::window);
}

void queue_impl::drop_handle() noexcept {
  if (m_handles.fetch_sub(1) != 1) return;
  end_window();
  if (const shared<fusion_list> list = fusion()) list->end_early(list_end::synchronization);
  attendant::instance().forget(*this);
  {
    std::lock_guard lock(m_mutex);
    if (!m_errors.empty()) {
      print_errors(m_errors);
      std::fprintf(stderr, "sinter: nobody asked the queue for them: call wait_and_throw or throw_asynchronous\n");
      // In strict mode the program ends, because it must not go on with results that may be wrong.
      if (sinter::environment().strict) std::terminate();
    }
    m_barrier = {};
    m_fusion.reset();  // the lists refer to the queue
    m_window.reset();
  }
  left_alone();
}

void queue_impl::left_alone() {
  // Another thread may be completing the last command at this moment, and not see that the last handle is gone. So the
  // attendant checks the queue again later; otherwise the queue's memory would never be freed.
  if (!has_handles() && !queue_registry::instance().drop(*this) && works_by_itself()) keep_attended();
}

void queue_impl::set_barrier(dependency barrier) {
  if (in_order() || barrier.is_complete()) return;
  std::lock_guard lock(m_mutex);
  m_barrier = std::move(barrier);
  m_awaits = true;
}

void queue_impl::start_recording(const shared<modifiable_graph>& graph) {
  const queue_impl& home = static_cast<const queue_impl&>(*graph->queue());
  const auto refuse = [](const char* why) {
    detail::throw_error(errc::invalid, std::string("begin_recording called for a queue ") + why);
  };
  if (m_context != home.m_context) refuse("whose context differs from the graph context.");
  if (m_device != home.m_device) refuse("whose device differs from the graph device.");
  if (fusion()) refuse("which is in fusion mode; complete or cancel the fusion first.");
  end_window();
  {
    std::lock_guard lock(m_mutex);
    if (m_graph) {
      refuse(m_graph.get() == graph.get() ? "which is already recording to the graph."
                                          : "which is already recording to a different graph.");
    }
    m_graph = graph;
    m_records = true;
  }
  graph->start_recording(shared<submission_queue>(this));
}

void queue_impl::stop_recording(const modifiable_graph& graph) {
  shared<modifiable_graph> dropped;  // destroyed without the lock
  std::lock_guard lock(m_mutex);
  if (m_graph.get() != &graph) return;
  dropped = std::move(m_graph);
  m_records = false;
}

void queue_impl::set_external(dependency external) {
  std::lock_guard lock(m_mutex);
  m_external = std::move(external);
  m_awaits = true;
}

void queue_impl::add_barrier_to(handler_impl& command) {
  if (command.is_recorded()) return;
  std::lock_guard lock(m_mutex);
  command.depends_on(std::exchange(m_external, {}));
  command.depends_on(m_barrier);
  if (m_barrier.is_complete()) m_barrier = {};
  m_awaits = static_cast<bool>(m_barrier.node);
}

queue_registry& queue_registry::instance() {
  static auto* registry = [] {
    find_queues_by([] { return instance().queues(); });
    return new queue_registry;  // never destroyed, because queues may outlive static objects
  }();
  return *registry;
}

std::vector<shared<queue_impl>> queue_registry::take_unused() {
  std::vector<shared<queue_impl>> unused;
  std::erase_if(m_queues, [&](shared<queue_impl>& each) {
    if (each->has_handles() || each->has_work()) return false;
    unused.push_back(std::move(each));
    return true;
  });
  return unused;
}

void queue_registry::add(const shared<queue_impl>& added) {
  std::vector<shared<queue_impl>> unused;
  {
    std::lock_guard lock(m_mutex);
    unused = take_unused();
    m_queues.push_back(added);
  }
  for (const shared<queue_impl>& each : unused) each->forget_commands();
}

bool queue_registry::drop(const queue_impl& dropped) {
  shared<queue_impl> over;  // destroyed without the lock
  {
    std::lock_guard lock(m_mutex);
    const auto found =
        std::find_if(m_queues.begin(), m_queues.end(), [&](const auto& each) { return each.get() == &dropped; });
    if (found == m_queues.end()) return true;
    if (dropped.has_work()) return false;
    over = std::move(*found);
    m_queues.erase(found);
  }
  over->forget_commands();
  return true;
}

std::vector<shared<submission_queue>> queue_registry::queues() {
  std::vector<shared<queue_impl>> unused;
  std::vector<shared<submission_queue>> all;
  {
    std::lock_guard lock(m_mutex);
    unused = take_unused();
    all.assign(m_queues.begin(), m_queues.end());
  }
  for (const shared<queue_impl>& each : unused) each->forget_commands();
  return all;
}

std::vector<dependency> queue_registry::commands_of(const context& asked) {
  std::vector<shared<queue_impl>> busy;
  {
    std::lock_guard lock(m_mutex);
    for (const shared<queue_impl>& each : m_queues) {
      if (each->has_work() && each->get_context() == asked) busy.push_back(each);
    }
  }
  std::vector<dependency> commands;
  for (const shared<queue_impl>& each : busy) {
    // When the last command of an in-order queue is complete, all its commands are complete.
    if (each->in_order()) {
      commands.push_back(each->last());
    } else {
      for (command_ptr& command : each->outstanding()) commands.push_back(std::move(command));
    }
  }
  return commands;
}

const device_impl& queue_impl::hardware() const noexcept { return *object_access::impl(m_device); }

device_memory::device_memory(shared<device_impl> its_device, std::size_t its_bytes, std::size_t alignment)
    : device(std::move(its_device)),
      bytes(its_bytes),
      data(allocate_memory(device->backend(), sinter::memory_kind::device, bytes, alignment)) {
  if (data) return;
  detail::throw_error(errc::memory_allocation,
                      "no memory for " + sinter::count_text(bytes) + " bytes of a command's own");
}

/// Returns the largest block of memory if it is large enough; otherwise allocates a larger one.
template <class Make>
void* queue_impl::largest(std::vector<shared<device_memory>>& all, std::size_t bytes, const Make& make) {
  std::size_t largest = 0;
  {
    std::lock_guard lock(m_mutex);
    if (!all.empty()) largest = all.back()->bytes;
    if (largest >= bytes && largest != 0) return all.back()->data;
  }
  // This call is made without the lock: it may wait for commands, and an error of such a command is reported to this
  // queue, under the lock.
  const shared<device_memory> made = make(largest);
  std::lock_guard lock(m_mutex);
  if (all.empty() || all.back()->bytes < bytes) all.push_back(made);
  return all.back()->data;
}

void* queue_impl::zeros(std::size_t bytes) {
  return largest(m_zeros, bytes, [&](std::size_t) {
    auto made = make_counted<device_memory>(object_access::impl(m_device), std::max<std::size_t>(bytes, 4096),
                                            workspace_alignment);
    backend().fill({made->data, 1, made->bytes, nullptr, {}});
    return made;
  });
}

void* queue_impl::workspace(std::size_t bytes) {
  return largest(m_workspaces, bytes, [&](std::size_t before) {
    const std::size_t more = before == 0 ? 4096 : 2 * before;
    return make_counted<device_memory>(object_access::impl(m_device), std::max(bytes, more), workspace_alignment);
  });
}

void queue_impl::add_error(std::exception_ptr error) {
  std::lock_guard lock(m_mutex);
  m_errors.push_back(std::move(error));
}

void queue_impl::throw_asynchronous() {
  std::vector<std::exception_ptr> errors;
  {
    std::lock_guard lock(m_mutex);
    errors.swap(m_errors);
  }
  if (errors.empty()) return;
  const async_handler& of_context = object_access::impl(m_context)->handler();
  if (m_handler) return m_handler(exception_list(std::move(errors)));
  if (of_context) return of_context(exception_list(std::move(errors)));
  print_errors(errors);
  std::fprintf(stderr, "sinter: neither queue nor context has an async_handler; the program ends\n");
  std::terminate();
}

} // namespace detail

namespace ext::sinter {

launch_counts launch_counters() noexcept {
  const ::sinter::launch_counters counts = ::sinter::current_launch_counters();
  return {counts.host_entry, counts.jit, counts.cache, counts.host_copy, counts.taken_over};
}

transfer_counts transfer_counters() noexcept {
  const detail::transfer_counts counts = detail::current_transfer_counts();
  const auto& [to_devices, to_host, between] = counts;
  return {to_devices.count, to_host.count, between.count, to_devices.bytes + to_host.bytes + between.bytes};
}

} // namespace ext::sinter
} // namespace sycl

std::size_t std::hash<sycl::queue>::operator()(const sycl::queue& object) const noexcept {
  return std::hash<const void*>()(sycl::detail::object_access::impl(object).address());
}
