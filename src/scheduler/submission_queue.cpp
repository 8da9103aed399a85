#include "submission_queue.hpp"

#include <algorithm>
#include <base/trace.hpp>

#include "scheduler.hpp"

namespace sycl::inline _V1::detail {

namespace {

/// Returns the device to which a command was handed over.
const sinter::device_backend& device_of(const dependency& each) noexcept {
  return each.node ? each.node->queue->backend() : each.order->backend();
}

}  // namespace

submission_queue::submission_queue(sinter::device_backend& backend, bool in_order, bool profiling, void* native,
                                   bool only_copies)
    : command_stream(backend, in_order, {profiling, only_copies}, native),
      m_in_order(in_order),
      m_profiling(profiling) {
  if (!sinter::traces()) return;
  sinter::trace_track(
      number(), "queue " + std::to_string(number()) + " on " + backend.facts().name + (in_order ? ", in order" : ""),
      true);
}

std::uint64_t submission_queue::push_simple(operation& work, std::span<const dependency> dependencies) {
  // For the timeline, each command of a device needs a node, because the device's times are only recorded for nodes.
  if (works_by_itself() && sinter::traces()) return 0;
  std::lock_guard lock(m_order);
  if (m_tail.node && !m_tail.node->is_complete() && m_tail.node->handed_over().channel == nullptr) return 0;
  for (const dependency& each : dependencies) {
    if (each.is_complete() || each.order.get() == this) continue;
    if (!works_by_itself() || !each.handed_over().channel || !device_of(each).is_ordered_with(backend())) return 0;
  }
  if (works_by_itself() && work.work) return 0;
  std::uint64_t ticket = 0;
  if (works_by_itself()) {
    ticket = hand_over(work, dependencies);
  } else {
    ticket = run_at_once(work);
    if (ticket == 0) ticket = push(std::move(work));
  }
  if (m_tail.node) set_tail(nullptr);  // later commands wait for this barrier instead
  return ticket;
}

void submission_queue::set_tail(command_ptr node) noexcept {
  m_tail.node = std::move(node);
  m_has_tail.store(static_cast<bool>(m_tail.node), std::memory_order_release);
}

void submission_queue::submit(const command_ptr& node, std::span<const dependency> dependencies,
                              std::span<const requirement> requirements) {
  while (const shared<command_list> list = try_submit(node, dependencies, requirements)) {
    list->end_early(list_end::synchronization);
  }
  release_before(node);
  after_submit();
}

shared<command_list> submission_queue::try_submit(const command_ptr& node, std::span<const dependency> dependencies,
                                                  std::span<const requirement> requirements) {
  if (m_in_order) {
    command_ptr passed;  // destroyed without the lock, because it may be the last reference to a command
    std::lock_guard lock(m_order);
    // Each command waits for the previous one, so a dependency on the latest command is enough.
    shared<command_list> list =
        is_tail_latest() ? submit_command(node, m_tail, dependencies, requirements)
                         : submit_command(node, latest_command(), dependencies, requirements);
    if (list) return list;
    passed = std::move(m_tail.node);
    set_tail(node);
    return nullptr;
  }
  // The command is added to m_commands only after it has got its dependencies, because other threads may find the
  // command as soon as it is in m_commands.
  if (shared<command_list> list = submit_command(node, {}, dependencies, requirements)) return list;
  std::lock_guard lock(m_commands_mutex);
  if (m_commands.size() >= m_next_cleanup) {
    std::erase_if(m_commands, [](const auto& c) { return c->is_complete(); });
    m_next_cleanup = std::max<std::size_t>(64, 2 * m_commands.size());
  }
  m_commands.push_back(node);
  return nullptr;
}

std::vector<dependency> submission_queue::unfinished() {
  std::vector<dependency> found;
  if (!m_in_order) {
    for (command_ptr& each : outstanding()) found.emplace_back(std::move(each));
  } else if (dependency latest = last(); latest.node || !works_by_itself()) {
    found.push_back(std::move(latest));
  }
  return found;
}

void submission_queue::after_submit() {
  if (works_by_itself()) retire_in_passing();
  const std::ptrdiff_t ahead = m_nodes.load(std::memory_order_relaxed);
  slow_down(ahead > 0 ? static_cast<std::uint64_t>(ahead) : 0);
}

dependency submission_queue::last() {
  std::lock_guard lock(m_order);
  return latest_command();
}

bool submission_queue::is_tail_latest() const noexcept {
  // If the stream has had no command (ticket 0), m_tail is the latest even if it is complete: the caller learns from it
  // that the queue had a command.
  return m_tail.node && (!m_tail.node->is_complete() || latest() == 0);
}

dependency submission_queue::latest_command() {
  if (is_tail_latest()) return m_tail;
  return {shared<command_stream>(this), latest()};
}

std::vector<command_ptr> submission_queue::outstanding() {
  std::lock_guard lock(m_commands_mutex);
  std::erase_if(m_commands, [](const auto& c) { return c->is_complete(); });
  return m_commands;
}

void submission_queue::forget_commands() {
  std::vector<command_ptr> forgotten;  // destroyed without the locks
  command_ptr tail;
  {
    std::lock_guard lock(m_commands_mutex);
    forgotten.swap(m_commands);
  }
  std::lock_guard lock(m_order);
  std::swap(tail, m_tail.node);
  set_tail(nullptr);
}

void submission_queue::run_kernel(const sinter::kernel_launch& launch) const {
  // A launch without work-items needs no code.
  if (launch.is_empty()) return;
  backend().run(launch);
}

}  // namespace sycl::detail
