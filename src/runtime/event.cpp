#include <runtime/objects.hpp>
#include <scheduler/scheduler.hpp>

namespace sycl {

event::event() noexcept = default;
event::event(const detail::shared<detail::command>& command) noexcept : m_command(command) {}
event::event(const event&) noexcept = default;
event::event(event&&) noexcept = default;
event& event::operator=(event other) noexcept {
  m_command = std::move(other.m_command);
  return *this;
}
event::~event() = default;

std::vector<event> event::get_wait_list() {
  std::vector<event> result;
  if (!m_command) return result;
  for (auto& dependency : detail::dependencies_of(m_command)) {
    result.push_back(detail::object_access::make_event(std::move(dependency)));
  }
  return result;
}

void event::wait() {
  if (m_command) detail::wait_for(m_command);
}

void event::wait(const std::vector<event>& events) {
  for (event each : events) each.wait();
}

void event::wait_and_throw() {
  wait();
  if (m_command && m_command->queue) m_command->queue->throw_asynchronous();
}

void event::wait_and_throw(const std::vector<event>& events) {
  wait(events);
  for (event each : events) each.wait_and_throw();
}

template <>
SINTER_EXPORT info::event_command_status event::get_info<info::event::command_execution_status>() const {
  if (!m_command) return info::event_command_status::complete;
  switch (detail::state_of(m_command)) {
    case detail::command::state::complete: return info::event_command_status::complete;
    case detail::command::state::running: return info::event_command_status::running;
    default: return info::event_command_status::submitted;
  }
}

namespace {

/// The profiled command of an event.
detail::command& profiled(const detail::command_ptr& command) {
  if (!command || !command->queue || !command->queue->profiling()) {
    throw exception(make_error_code(errc::invalid),
                    "get_profiling_info: the event's queue was made without property::queue::enable_profiling");
  }
  return *command;
}

} // namespace

template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_submit>() const {
  return profiled(m_command).submit_time;
}
template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_start>() const {
  detail::command& command = profiled(m_command);
  detail::wait_for(m_command);
  return command.start_time;
}
template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_end>() const {
  detail::command& command = profiled(m_command);
  detail::wait_for(m_command);
  return command.end_time;
}

} // namespace sycl

std::size_t std::hash<sycl::event>::operator()(const sycl::event& object) const noexcept {
  return std::hash<const void*>()(sycl::detail::object_access::get_command(object).address());
}
