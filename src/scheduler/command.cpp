#include "command.hpp"

#include <algorithm>
#include <base/trace.hpp>

#include "command_stream.hpp"
#include "scheduler.hpp"
#include "submission_queue.hpp"

namespace sycl::inline _V1::detail {

bool dependency::is_complete() const noexcept {
  return node ? node->is_complete() : !order || order->is_complete(ticket);
}

device_point dependency::handed_over() const noexcept {
  if (node) return node->handed_over();
  return order && order->channel() ? device_point{order->channel(), ticket} : device_point{};
}

bool command::works_by_itself() const noexcept {
  return !host_access && !on_host && queue && queue->works_by_itself();
}

bool command::is_ordered_with(const command& other) const noexcept {
  return works_by_itself() && other.works_by_itself() && queue->backend().is_ordered_with(other.queue->backend());
}

device_point command::handed_over() const noexcept {
  device_channel* channel = m_channel.load(std::memory_order_acquire);
  if (!channel) return {};
  sinter::note_acquire(&m_channel);
  return {channel, m_ticket};
}

void command::add_error(std::exception_ptr error) const {
  if (on_behalf) return on_behalf->add_error(std::move(error));
  if (!is_transfer) queue->add_error(std::move(error));
}

void command::run_ready() {
  if (claim()) run_claimed(command_ptr(this));
}

bool command::remember_dependency(const dependency& before) {
  std::lock_guard lock(m_mutex);
  return remember_first_dependency(before);
}

bool command::remember_first_dependency(const dependency& before) {
  for (std::size_t i = 0; i < m_dependencies.size(); ++i) {
    if (m_dependencies[i] == before) return false;
  }
  m_dependencies.push_back(before);
  return true;
}

void command::add_successor(const command_ptr& after) {
  // Devices of one family keep the order of handed-over commands by themselves, so no edge is needed. A command that
  // was handed over stays handed over, so this check needs no lock.
  if (m_channel.load(std::memory_order_acquire) && after->is_ordered_with(*this))
    return sinter::note_acquire(&m_channel);
  std::lock_guard lock(m_mutex);
  if (is_complete()) return;
  if (m_channel.load(std::memory_order_relaxed) && after->is_ordered_with(*this)) return;
  after->block();
  m_successors.push_back(after);
}

bool command::has_successors() const {
  std::lock_guard lock(m_mutex);
  return m_successors.size() != 0;
}

void command::set_unblocked() {
  // Only host accesses have threads that wait until no blocker is left, so other commands need no lock.
  if (!host_access) return m_state.store(state::ready, std::memory_order_release);
  std::lock_guard lock(m_mutex);
  // No thread runs a host access: the access lasts from now until its accessor is destroyed.
  if (sinter::traces()) start_time = now_nanoseconds();
  m_state.store(state::running, std::memory_order_release);
  if (m_awaited) m_changed.notify_all();
}

command::successor_list command::set_handed_over(device_point where) {
  successor_list waits_there, others;
  std::lock_guard lock(m_mutex);
  m_ticket = where.ticket;
  sinter::note_release(&m_channel);
  m_channel.store(where.channel, std::memory_order_release);
  if (m_successors.size() == 0) return waits_there;
  for (std::size_t i = 0; i < m_successors.size(); ++i) {
    command_ptr& each = m_successors[i];
    (each->is_ordered_with(*this) ? waits_there : others).push_back(std::move(each));
  }
  m_successors.swap(others);
  return waits_there;
}

command::successor_list command::set_complete() {
  // These dependencies are destroyed without the lock, because they may be the last references to other commands.
  short_list<dependency, 2> dependencies;
  successor_list successors;
  std::lock_guard lock(m_mutex);
  dependencies.swap(m_dependencies);
  successors.swap(m_successors);
  note_unblocked();
  sinter::note_release(&m_state);
  m_state.store(state::complete, std::memory_order_release);
  if (m_awaited) m_changed.notify_all();
  return successors;
}

short_list<dependency, 4> command::dependencies() const {
  short_list<dependency, 4> all;
  std::lock_guard lock(m_mutex);
  for (std::size_t i = 0; i < m_dependencies.size(); ++i) all.push_back(m_dependencies[i]);
  return all;
}

dependency command::next_to_help(std::size_t first) const {
  std::lock_guard lock(m_mutex);
  const dependency* found = nullptr;
  const std::size_t count = m_dependencies.size();
  for (std::size_t i = 0; i < count; ++i) {
    const dependency& each = m_dependencies[(first + i) % count];
    if (each.is_complete()) continue;
    if (!each.node || each.node->status() != state::running) return each;
    if (!found) found = &each;
  }
  return found ? *found : dependency();
}

void command::sleep_until_complete(bool until_ready) {
  std::unique_lock lock(m_mutex);
  m_awaited = true;
  m_changed.wait(lock, [&] { return is_complete() || (until_ready && status() != state::waiting); });
}

}  // namespace sycl::detail
