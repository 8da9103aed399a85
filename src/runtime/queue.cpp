#include <algorithm>
#include <cstdio>
#include <runtime/handler_impl.hpp>
#include <sycl/ext/sinter/counters.hpp>

namespace sycl {

queue::queue(const property_list& properties) : queue(device(), properties) {}
queue::queue(const async_handler& handler, const property_list& properties) : queue(device(), handler, properties) {}
queue::queue(const device& device, const property_list& properties) : queue(device, {}, properties) {}
queue::queue(const device& device, const async_handler& handler, const property_list& properties)
    : queue(sycl::context(device), device, handler, properties) {}
queue::queue(const context& context, const device& device, const property_list& properties)
    : queue(context, device, {}, properties) {}
queue::queue(const context& context, const device& device, const async_handler& handler,
             const property_list& properties)
    : with_properties(properties) {
  const auto devices = context.get_devices();
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
    throw exception(make_error_code(errc::invalid), "queue: device '" + device.get_info<info::device::name>() +
                                                        "' is not in the context; make the context of this device");
  }
  m_impl = detail::make_counted<detail::queue_impl>(context, device, handler,
                                                properties.has_property<property::queue::in_order>(),
                                                properties.has_property<property::queue::enable_profiling>());
}

queue::queue(const queue&) noexcept = default;
queue::queue(queue&&) noexcept = default;
queue& queue::operator=(queue other) noexcept {
  with_properties::operator=(other);
  m_impl = std::move(other.m_impl);
  return *this;
}
queue::~queue() = default;

context queue::get_context() const { return m_impl->get_context(); }
device queue::get_device() const { return m_impl->get_device(); }
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
  return detail::object_access::make_event(impl.finish());
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

void queue::wait() {
  for (const auto& command : m_impl->outstanding()) detail::wait_for(command);
}

void queue::wait_and_throw() {
  wait();
  m_impl->throw_asynchronous();
}

void queue::throw_asynchronous() { m_impl->throw_asynchronous(); }

bool queue::khr_empty() const {
  const auto commands = m_impl->outstanding();
  return std::all_of(commands.begin(), commands.end(), [](const auto& c) { return detail::is_complete(c); });
}

namespace detail {

command_ptr queue_impl::enter(const command_ptr& submitted) {
  std::lock_guard lock(m_mutex);
  command_ptr last;
  if (m_in_order) {
    // Each waits for the one before: the last stands for all.
    if (!m_commands.empty()) last = std::move(m_commands.back());
    m_commands.clear();
  } else if (m_commands.size() >= m_next_cleanup) {
    std::erase_if(m_commands, [](const auto& c) { return is_complete(c); });
    m_next_cleanup = std::max<std::size_t>(64, 2 * m_commands.size());
  }
  m_commands.push_back(submitted);
  return last;
}

std::vector<command_ptr> queue_impl::outstanding() {
  std::lock_guard lock(m_mutex);
  std::erase_if(m_commands, [](const auto& c) { return is_complete(c); });
  return m_commands;
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
  for (const std::exception_ptr& error : errors) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& caught) {
      std::fprintf(stderr, "sinter: asynchronous error: %s\n", caught.what());
    } catch (...) {
      std::fprintf(stderr, "sinter: asynchronous error of unknown type\n");
    }
  }
  std::fprintf(stderr, "sinter: neither queue nor context has an async_handler; the program ends\n");
  std::terminate();
}

} // namespace detail

namespace ext::sinter {

launch_counts launch_counters() noexcept {
  const ::sinter::launch_counters counts = ::sinter::current_launch_counters();
  return {counts.host_entry, counts.jit, counts.cache};
}

} // namespace ext::sinter
} // namespace sycl

std::size_t std::hash<sycl::queue>::operator()(const sycl::queue& object) const noexcept {
  return std::hash<const void*>()(sycl::detail::object_access::impl(object).address());
}
