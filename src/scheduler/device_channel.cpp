#include "device_channel.hpp"

#include <algorithm>
#include <base/trace.hpp>

#include "command_stream.hpp"
#include "run_mark.hpp"
#include "scheduler.hpp"
#include "submission_queue.hpp"
#include "test_hooks.hpp"

namespace sycl::inline _V1::detail {
namespace {

// When about a thousand launches are incomplete, the driver blocks the thread that hands over the next launch. While
// the thread is blocked, it holds locks of the driver. A channel avoids this: at `most_ahead` incomplete launches, it
// waits until only `least_ahead` are incomplete.
constexpr std::uint64_t most_ahead = 900, least_ahead = 450;

/// Calls `hand_over`. If `hand_over` throws, the exception becomes an error of the command, and the result is false.
template <class HandOver>
bool succeeds(const HandOver& hand_over, const command& owner) {
  try {
    return hand_over(), true;
  } catch (...) {
    return owner.add_error(std::current_exception()), false;
  }
}

}  // namespace

/// Called under m_mutex.
void device_channel::wait_for(const dependency& before) {
  if (before.is_complete()) return;
  const device_point point = before.handed_over();
  if (!point.channel || point.channel == this) return;
  if (drops_native_wait()) return;
  point.channel->m_stream->flush();
  m_stream->wait_for(*point.channel->m_stream, point.ticket);
}

/// Called under m_mutex.
void device_channel::stay_within_limit() {
  const std::uint64_t latest = m_stream->latest();
  if (latest - m_completed.load(std::memory_order_relaxed) < most_ahead) return;
  m_stream->flush();
  m_stream->wait(latest - least_ahead);
  m_completed.store(latest - least_ahead, std::memory_order_release);
}

/// Called under m_mutex. A failing item does not stop the other items: if they were separate commands, they would run,
/// too.
void device_channel::hand_over(const work_list& list, const command& owner) {
  if (list.timer) m_stream->start(*list.timer);
  const auto stop = [&] {
    if (list.timer) m_stream->stop(*list.timer);
  };
  if (list.program) {
    m_stream->run(*list.program);
    return stop();
  }
  for (const work_list::item& each : list.items)
    (void)succeeds([&] { m_stream->hand_over(each.work); }, owner);
  stop();
  // Even if the list fails, later commands have to wait for all the dependencies of the list.
  m_stream->mark();
}

/// Called under m_mutex.
void device_channel::hand_over(const command& claimed) {
  // The command has no work, for example because a fused command has run its kernel. The mark gives the command a
  // ticket in the stream.
  if (claimed.has_no_work) return m_stream->mark();
  if (claimed.list) return hand_over(*claimed.list, claimed);
  if (claimed.native) {
    // Some drivers run native work only after this thread has made the device current, which mark() does.
    m_stream->mark();
    m_stream->flush();
    claimed.native->give_to(m_stream->native(), nullptr);
    return m_stream->mark();
  }
  if (claimed.launches.empty()) return m_stream->hand_over(claimed.own_work());
  bool right = true;
  for (const sinter::kernel_launch& each : claimed.launches)
    right &= succeeds([&] { m_stream->launch(each); }, claimed);
  if (!right) m_stream->mark();
}

void device_channel::submit(const command_ptr& claimed, command::successor_list& freed) {
  try {
    // The command's work may compile code, so this thread does not hold the lock while the work runs.
    if (claimed->work) claimed->work();
  } catch (...) {
    claimed->add_error(std::current_exception());
    claimed->launches.clear();
  }
  kept_objects dropped;
  {
    std::lock_guard lock(m_mutex);
    stay_within_limit();
    const std::uint64_t before_it = m_stream->latest();
    std::vector<traced_part> parts;
    if (sinter::traces() && !claimed->has_no_work) parts = traced_parts(*claimed);
    try {
      claimed->visit_dependencies([&](const dependency& before) { wait_for(before); });
      hand_over(*claimed);
    } catch (...) {
      claimed->add_error(std::current_exception());
      // The mark gives the failed command a ticket, because later commands still have to wait for all dependencies of
      // this command.
      m_stream->mark();
    }
    if (drops_keep()) claimed->keep.swap(dropped);
    command::successor_list waits_there = claimed->set_handed_over({this, m_stream->latest()});
    freed.swap(waits_there);
    if (m_nodes.full()) m_nodes.set_capacity(m_nodes.capacity() == 0 ? 64 : 2 * m_nodes.capacity());
    m_nodes.push_back({m_stream->latest(), claimed, m_stream->latest() - before_it, std::move(parts)});
  }
  m_owner.keep_attended();
}

std::uint64_t device_channel::push(operation& work, std::span<const dependency> before) {
  std::lock_guard lock(m_mutex);
  stay_within_limit();
  for (const dependency& each : before) wait_for(each);
  try {
    work.launch.block = work.function.get();
    m_stream->hand_over(work.own_work());
  } catch (...) {
    m_owner.add_error(std::current_exception());
    m_stream->mark();
  }
  return m_stream->latest();
}

bool device_channel::is_complete(std::uint64_t ticket) {
  std::uint64_t known = m_completed.load(std::memory_order_acquire);
  if (known >= ticket) return true;
  if (!m_stream->is_complete(ticket)) {
    // Without the flush, the driver might never start the work, and a thread that polls for its end would poll for
    // ever.
    m_stream->flush();
    return false;
  }
  while (known < ticket && !m_completed.compare_exchange_weak(known, ticket)) {
  }
  return true;
}

void device_channel::wait(std::uint64_t ticket) {
  if (!is_complete(ticket)) {
    // If a thread waits for a ticket that is not the latest, threads will probably wait for such tickets again. From
    // now on, the stream can wait for any ticket without waiting for later work.
    if (ticket < m_stream->latest()) m_stream->keep_places();
    m_stream->wait(ticket);
  }
  (void)is_complete(ticket);
  retire();
}

void device_channel::follow(std::uint64_t ticket, const command_ptr& after) {
  if (after->works_by_itself() && after->queue->backend().is_ordered_with(m_owner.backend())) return;
  {
    std::lock_guard lock(m_mutex);
    if (is_complete(ticket)) return;
    after->block();
    m_followers.push_back({ticket, after});
    m_following.store(m_followers.size(), std::memory_order_relaxed);
  }
  m_owner.keep_attended();
}

/// Puts the times of all tickets of the entry into m_times. Returns the start of the first ticket and the end of the
/// last ticket. Called under m_mutex.
sinter::command_times device_channel::take_times(const entry& complete) {
  m_times.clear();
  sinter::command_times whole;
  for (std::uint64_t i = complete.tickets; i-- > 0;) {
    const sinter::command_times its = m_times.emplace_back(m_stream->times(complete.ticket - i));
    if (its.start != 0 && (whole.start == 0 || its.start < whole.start)) whole.start = its.start;
    whole.end = std::max(whole.end, its.end);
  }
  return whole;
}

/// Sets the times of `end`, a command without work. Takes these times from the dependency of `end` that finished last.
/// Called under m_mutex.
void device_channel::take_times_of_last(command& end) const {
  const auto before = end.dependencies();
  const command* last = nullptr;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const command* each = before[i].node.get();
    if (!each || (!each->is_complete() && each->handed_over().channel != this)) continue;
    if (!last || each->end_time > last->end_time) last = each;
  }
  if (!last) return;
  end.start_time = last->start_time;
  end.end_time = last->end_time;
}

void device_channel::retire() {
  std::vector<command_ptr> complete, freed;
  std::exception_ptr error;
  std::uint64_t first_ticket = 0;  // first ticket of the nodes and followers that this call removes; 0: it removes none
  {
    std::lock_guard lock(m_mutex);
    const auto take = [&](entry& taken, std::vector<command_ptr>& to) {
      first_ticket = first_ticket == 0 ? taken.ticket : std::min(first_ticket, taken.ticket);
      to.push_back(std::move(taken.command));
    };
    while (!m_nodes.empty() && is_complete(m_nodes.front().ticket)) {
      entry& first = m_nodes.front();
      const bool traced = sinter::traces();
      if (first.command->queue->profiling() || traced) {
        const sinter::command_times times = take_times(first);
        if (traced && !first.command->has_no_work) trace_on_device(*first.command, first.parts, m_times);
        first.command->start_time = times.start;
        first.command->end_time = times.end;
        if (first.command->has_no_work) take_times_of_last(*first.command);
      }
      if (complete.empty()) complete.swap(m_spare_list);
      take(first, complete);
      m_nodes.pop_front();
    }
    std::erase_if(m_followers, [&](entry& each) {
      if (!is_complete(each.ticket)) return false;
      take(each, freed);
      return true;
    });
    m_following.store(m_followers.size(), std::memory_order_relaxed);
    error = m_stream->take_error();
    // A thread in has_let_go must find each unfinished node either in m_nodes or in a batch, so the batch is noted
    // before the mutex is released.
    if (first_ticket != 0) m_batches.push_back({first_ticket, run_mark::this_thread()});
  }
  if (error) m_owner.add_error(error);
  for (command_ptr& each : complete) {
    finish_on_device(each);
    each.reset();
  }
  drop_blockers(freed);
  freed.clear();
  complete.clear();
  if (first_ticket != 0) end_batch(first_ticket, complete);
}

/// Ends a batch. `spare` is empty; the channel may keep its memory for a later list.
void device_channel::end_batch(std::uint64_t first, std::vector<command_ptr>& spare) {
  std::lock_guard lock(m_mutex);
  if (spare.capacity() > m_spare_list.capacity()) m_spare_list.swap(spare);
  const auto mine = [&](const batch& each) { return each.first == first && each.thread == run_mark::this_thread(); };
  // Finishing a command may have called this function again. In this case, the batch of the inner call is the later of
  // the two batches.
  const auto last = std::find_if(m_batches.rbegin(), m_batches.rend(), mine);
  m_batches.erase(std::next(last).base());
}

bool device_channel::has_let_go(std::uint64_t ticket) {
  if (!is_complete(ticket)) return false;
  std::lock_guard lock(m_mutex);
  const auto waits = [&](const entry& each) { return each.ticket <= ticket; };
  if (!m_nodes.empty() && waits(m_nodes.front())) return false;
  if (std::any_of(m_followers.begin(), m_followers.end(), waits)) return false;
  return std::none_of(m_batches.begin(), m_batches.end(), [&](const batch& each) {
    return each.first <= ticket && each.thread != run_mark::this_thread();
  });
}

bool device_channel::is_idle() {
  std::lock_guard lock(m_mutex);
  return m_nodes.empty() && m_followers.empty() && is_complete(m_stream->latest());
}

}  // namespace sycl::detail
