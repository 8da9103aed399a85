#include "command.hpp"

#include <algorithm>

#include "lane.hpp"
#include "scheduler.hpp"

namespace sycl::detail {

bool dependency::is_complete() const noexcept {
  return node ? node->is_complete() : !order || order->is_complete(ticket);
}

void command::run_ready() {
  if (claim()) run_claimed(command_ptr(this));
}

bool command::remember_dependency(const dependency& before) {
  std::lock_guard lock(m_mutex);
  if (std::find(m_dependencies.begin(), m_dependencies.end(), before) != m_dependencies.end()) return false;
  m_dependencies.push_back(before);
  return true;
}

void command::add_successor(const command_ptr& after) {
  std::lock_guard lock(m_mutex);
  if (is_complete()) return;
  after->block();
  m_successors.push_back(after);
}

void command::set_unblocked() {
  std::lock_guard lock(m_mutex);
  // Nobody runs a host access: it lasts from now on to the end of its accessor.
  m_state.store(host_access ? state::running : state::ready, std::memory_order_release);
  if (m_awaited) m_changed.notify_all();
}

std::vector<command_ptr> command::set_complete() {
  // Destroyed without the lock: they may be the last to refer to other commands.
  std::vector<dependency> dependencies;
  std::vector<command_ptr> successors;
  std::lock_guard lock(m_mutex);
  dependencies.swap(m_dependencies);
  successors.swap(m_successors);
  m_state.store(state::complete, std::memory_order_release);
  if (m_awaited) m_changed.notify_all();
  return successors;
}

std::vector<dependency> command::dependencies() const {
  std::lock_guard lock(m_mutex);
  return m_dependencies;
}

void command::sleep_until_complete(bool until_ready) {
  std::unique_lock lock(m_mutex);
  m_awaited = true;
  m_changed.wait(lock, [&] { return is_complete() || (until_ready && status() != state::waiting); });
}

}  // namespace sycl::detail
