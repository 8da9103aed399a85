#include <algorithm>
#include <atomic>

#include <runtime/object_access.hpp>
#include <scheduler/scheduler.hpp>

#include <sycl/ext/oneapi/experimental/profiling_tag.hpp>

namespace sycl::inline _V1 {

using detail::object_access;

namespace {

/// Throws errc::invalid for a command that was recorded to a graph.
void check_submitted(const event& asked, const char* call) {
  if (!object_access::is_recorded(asked)) return;
  detail::throw_error(errc::invalid,
                  std::string(call) + ": the command was recorded to a graph, and runs when that does; ask the event "
                                      "of the graph's submission");
}

}  // namespace

event::event() noexcept {
  static std::atomic<std::uint64_t> count{0};
  m_ticket = count.fetch_add(1, std::memory_order_relaxed) + 1;
}
event::event(std::nullptr_t) noexcept {}
event::event(const event&) noexcept = default;
event::event(event&&) noexcept = default;
event& event::operator=(event other) noexcept {
  m_source = std::move(other.m_source);
  m_ticket = other.m_ticket;
  return *this;
}
event::~event() = default;

backend event::get_backend() const noexcept {
  const auto queue = object_access::queue_of(*this);
  // An event without a queue has the backend of the default device.
  try {
    return queue ? queue->get_device().get_backend() : device().get_backend();
  } catch (const exception&) {
    return backend::sinter_cpu;
  }
}

std::vector<event> event::get_wait_list() {
  std::vector<event> result;
  const detail::dependency mine = object_access::get_dependency(*this);
  if (mine.is_complete()) return result;
  if (!mine.node) {
    if (const detail::dependency before(mine.order, mine.ticket - 1); !before.is_complete()) {
      result.push_back(object_access::make_event(before));
    }
    return result;
  }
  const auto before = mine.node->dependencies();
  for (std::size_t i = 0; i < before.size(); ++i) result.push_back(object_access::make_event(before[i]));
  return result;
}

void event::wait() {
  if (object_access::is_complete(*this)) return;
  check_submitted(*this, "event::wait");
  detail::wait_for(object_access::get_dependency(*this));
}

void event::wait(const std::vector<event>& events) {
  for (event each : events) each.wait();
}

void event::wait_and_throw() {
  wait();
  if (const auto queue = object_access::queue_of(*this)) queue->throw_asynchronous();
}

void event::wait_and_throw(const std::vector<event>& events) {
  wait(events);
  for (event each : events) each.wait_and_throw();
}

template <>
SINTER_EXPORT info::event_command_status event::get_info<info::event::command_execution_status>() const {
  check_submitted(*this, "event::get_info");
  switch (detail::state_of(object_access::get_dependency(*this))) {
    case detail::command::state::complete: return info::event_command_status::complete;
    case detail::command::state::running: return info::event_command_status::running;
    default: return info::event_command_status::submitted;
  }
}

namespace {

/// Returns the profiled command of an event. This command is a node, because a queue with profiling makes a node of
/// every command.
detail::command_ptr profiled(const event& event) {
  check_submitted(event, "event::get_profiling_info");
  detail::command_ptr command = object_access::get_dependency(event).node;
  if (command && command->untimed) {
    detail::throw_error(errc::invalid,
                        "get_profiling_info: the graph was finalized without property::graph::enable_profiling");
  }
  if (!command || !command->queue || !command->queue->profiling()) {
    detail::throw_error(errc::invalid,
                        "get_profiling_info: the event's queue was made without property::queue::enable_profiling");
  }
  return command;
}

/// Waits for a command and returns its times. If the command takes its times from other commands, waits for all of
/// these commands.
sinter::command_times times_of(const detail::command_ptr& command) {
  detail::wait_for(command);
  if (!command->timed_by) return {command->start_time, command->end_time};
  sinter::command_times whole;
  for (const detail::command_ptr& each : command->timed_by->value) {
    // This code waits even if the command is complete, because the times may be stored a moment after the completion,
    // but always before wait_for returns.
    detail::wait_for(each);
    if (each->start_time == 0) continue;
    if (whole.start == 0 || each->start_time < whole.start) whole.start = each->start_time;
    whole.end = std::max(whole.end, each->end_time);
  }
  return whole.end != 0 ? whole : sinter::command_times{command->start_time, command->end_time};
}

} // namespace

namespace detail {

event submit_tag(const queue& where) {
  const auto& its = *object_access::impl(where);
  if (!its.profiling()) {
    throw_error(errc::invalid,
                "submit_profiling_tag: the queue was made without property::queue::enable_profiling, and its device "
                "lacks aspect::ext_oneapi_queue_profiling_tag");
  }
  event tag = queue(where).ext_oneapi_submit_barrier();
  if (const command_ptr command = object_access::get_dependency(tag).node) command->is_tag = true;
  return tag;
}

}  // namespace detail

template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_submit>() const {
  const detail::command_ptr command = profiled(*this);
  if (command->is_tag) return times_of(command).end;
  return command->timed_by ? command->timed_by->value.front()->submit_time : command->submit_time;
}
template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_start>() const {
  const detail::command_ptr command = profiled(*this);
  const sinter::command_times times = times_of(command);
  return command->is_tag ? times.end : times.start;
}
template <>
SINTER_EXPORT std::uint64_t event::get_profiling_info<info::event_profiling::command_end>() const {
  return times_of(profiled(*this)).end;
}

} // namespace sycl

std::size_t std::hash<sycl::event>::operator()(const sycl::event& object) const noexcept {
  return sycl::detail::object_access::hash(object);
}
