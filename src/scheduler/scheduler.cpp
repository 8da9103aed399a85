#include "scheduler.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <base/race_notes.hpp>
#include <base/running.hpp>
#include <base/trace.hpp>
#include <base/trace_clock.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include <sycl/exception.hpp>

#include "attendant.hpp"
#include "device_channel.hpp"
#include "device_memory.hpp"
#include "edges.hpp"
#include "fused_hold.hpp"
#include "last_commands.hpp"
#include "run_mark.hpp"
#include "submission_queue.hpp"
#include "test_hooks.hpp"
#include "traced_command.hpp"
#include "transfers.hpp"
#include "worker_pool.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// The number of submitted nodes that are not complete, without host accesses. The number is the sum of several
/// counters, so that threads rarely change the same counter. A single counter may have a value below zero.
struct alignas(64) counter {
  std::atomic<std::ptrdiff_t> value{0};
};
constexpr std::size_t counter_count = 16;
counter incomplete[counter_count];

void count_incomplete(std::ptrdiff_t change) noexcept {
  static std::atomic<std::size_t> next{0};
  static thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % counter_count;
  incomplete[mine].value.fetch_add(change);
}

void leave(const command& complete) noexcept {
  if (complete.host_access) return;
  sinter::note_release(complete.queue.address());
  sinter::note_release(incomplete);
  complete.queue->count_node(-1);
  count_incomplete(-1);
}

/// Returns the mutex for command::held and command::fusion, which fusion changes while other threads can see the
/// command. Programs that fuse no kernels never lock this mutex.
std::mutex& fusion_mutex() {
  static auto* instance = new (sinter::lasting) std::mutex;
  return *instance;
}

/// Returns the mutex that a list locks while it grows. Only one list may get new kernels at a time, so that the check
/// for circles sees all dependencies of the other lists.
std::mutex& growth_mutex() {
  static auto* instance = new (sinter::lasting) std::mutex;
  return *instance;
}

/// Set when a list waits for another list that still collects. Searches for circles of lists that wait for each other
/// are needed only if this is set.
std::atomic<bool> lists_wait_for_lists{false};

using ready_list = short_list<command_ptr, 4>;

void finish(command& done, ready_list& ready);
void free_command(const command_ptr& freed, const command* by, ready_list& ready);

urgency urgency_of(const command& ready) noexcept {
  return ready.estimate >= worth_waking ? urgency::now : urgency::soon;
}

/// Hands over the command. Adds to `commands` the commands that only waited until it was handed over.
void hand_over(const command_ptr& ready, ready_list& commands) {
  if (!ready->claim()) return;
  command::successor_list freed;
  ready->queue->channel_for(*ready).submit(ready, freed);
  for (std::size_t i = 0; i < freed.size(); ++i) {
    if (freed[i]->unblock()) free_command(freed[i], nullptr, commands);
  }
}

/// Hands the command to its device, or to a worker thread if the device does not work by itself. Then does the same
/// with the commands that were blocked only by this command.
void start_on_device(const command_ptr& first) {
  ready_list commands;
  hand_over(first, commands);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const command_ptr each = commands[i];
    if (each->works_by_itself()) {
      hand_over(each, commands);
    } else {
      worker_pool::instance().push(each, urgency_of(*each));
    }
  }
}

void dispatch(const command_ptr& ready, urgency when) {
  if (ready->works_by_itself()) return start_on_device(ready);
  worker_pool::instance().push(ready, when);
}

void dispatch(const command_ptr& ready) { dispatch(ready, urgency_of(*ready)); }

void dispatch(const ready_list& ready) {
  for (std::size_t i = 0; i < ready.size(); ++i) dispatch(ready[i]);
}

/// Called when `freed` has lost its last blocker. `by` is the blocker if it was a command; otherwise `by` is null.
void free_command(const command_ptr& freed, const command* by, ready_list& ready) {
  // A device that works by itself gets even a command without work, as a mark in a stream: later commands can then wait
  // for the mark without the host.
  if (freed->has_no_work && !freed->works_by_itself()) {
    if (by) {
      freed->start_time = by->start_time;
      freed->end_time = by->end_time;
    }
    finish(*freed, ready);
    return;
  }
  freed->set_unblocked();
  if (!freed->host_access) ready.push_back(freed);
}

/// Drops the blocker that stands for the submission itself.
void start_submitted(const command_ptr& submitted) {
  if (!submitted->unblock()) return;
  if (!submitted->has_no_work && !submitted->host_access) {
    // Most commands come here, and need no list of ready commands.
    submitted->set_unblocked();
    return dispatch(submitted);
  }
  ready_list ready;
  free_command(submitted, nullptr, ready);
  dispatch(ready);
}

/// Called when the command has run. Adds to `ready` the commands for which this command was the last blocker.
void finish(command& done, ready_list& ready) {
  const command::successor_list successors = done.set_complete();
  for (std::size_t i = 0; i < successors.size(); ++i) {
    if (successors[i]->unblock()) free_command(successors[i], &done, ready);
  }
  leave(done);
}

/// Runs a claimed command and completes it.
void run(command& claimed, ready_list& ready) {
  start_late();
  const running_scope scope;
  const run_mark mark(&claimed);
  const bool profiled = claimed.queue && claimed.queue->profiling();
  const std::uint64_t start = now_nanoseconds();
  if (profiled) claimed.start_time = start;
  try {
    if (claimed.kernel) {
      claimed.queue->run_kernel(claimed.kernel->launch);
    } else if (claimed.work) {
      claimed.work();
    } else if (claimed.memory.what != sinter::memory_work::kind::none) {
      (claimed.on_host ? sinter::cpu_backend() : claimed.queue->backend()).run(claimed.memory);
    }
  } catch (const abi::__forced_unwind&) {
    refuse_end_of_thread(claimed.name);
  } catch (...) {
    claimed.add_error(std::current_exception());
  }
  const std::uint64_t end = now_nanoseconds();
  if (sinter::traces()) trace_run(claimed, start, end);
  if (claimed.kernel) note_launch(claimed.kernel->launch, end - start);
  // The command's kept objects are destroyed before the command counts as complete, because a waiting thread may rely
  // on the fact that these objects' destructors have run.
  claimed.work = nullptr;
  claimed.kernel.reset();
  claimed.keep.clear();
  if (profiled) claimed.end_time = end;
  finish(claimed, ready);
}

/// Locks users_mutex of all buffers of a submission, once for each buffer and in the order of addresses.
class locked_records {
public:
  explicit locked_records(std::span<const requirement> requirements) {
    if (requirements.size() == 1) {
      m_only = requirements.front().memory.get();
      m_only->users_mutex().lock();
      return;
    }
    for (const requirement& needed : requirements) m_records.push_back(needed.memory.get());
    std::sort(m_records.begin(), m_records.end(), std::less<>());
    m_records.erase(std::unique(m_records.begin(), m_records.end()), m_records.end());
    for (memory_users* record : m_records) record->users_mutex().lock();
  }
  locked_records(const locked_records&) = delete;
  ~locked_records() {
    if (m_only) m_only->users_mutex().unlock();
    for (memory_users* record : m_records) record->users_mutex().unlock();
  }

private:
  memory_users* m_only = nullptr;
  std::vector<memory_users*> m_records;
};

/// Finds the earlier users of the buffers for which the command has to wait. Then adds the command to the list of users
/// of these buffers. Called under the locks of all buffers.
void add_user(const command_ptr& added, std::span<const requirement> requirements,
              short_list<command_ptr, 4>& conflicts) {
  for (const requirement& needed : requirements) {
    needed.memory->add_user(added, needed.part, needed.mode, needed.place, conflicts);
  }
}

/// The number of fused commands that are held back. Functions that are called often check this number before they
/// search.
std::atomic<std::size_t> held_back{0};

bool any_fused_held() noexcept { return held_back.load(std::memory_order_relaxed) != 0; }

/// Called under the fusion mutex.
void drop_hold(const command_ptr& held, ready_list& ready) {
  held->held.store(false, std::memory_order_relaxed);
  if (held->unblock()) free_command(held, nullptr, ready);
}

/// If the command represents a list that still collects kernels, returns this list; otherwise returns null.
shared<command_list> collecting_list(const command* at) {
  if (!at || !at->fusion.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(fusion_mutex());
  return shared<command_list>(at->fusion.load(std::memory_order_relaxed));
}

/// Returns whether the command represents a list that the user has started and that still collects.
bool is_explicit_list(const command& node) {
  if (!node.fusion.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(fusion_mutex());
  const command_list* list = node.fusion.load(std::memory_order_relaxed);
  return list && !list->is_automatic();
}

/// Returns whether the command's list may wait for other lists. The caller keeps the list alive.
bool may_wait_for_lists(const command& asking) {
  const command_list* own = asking.fusion.load(std::memory_order_relaxed);
  return own && !own->is_automatic();
}

/// Finds a list, other than the list of `asking`, whose kernels conflict with the requirements. This list has to end
/// first, because `asking` has to wait for its kernels. Called under the locks of all buffers.
shared<command_list> collecting_user(std::span<const requirement> requirements, const command& asking) {
  if (command_list::count_active() == 0) return nullptr;
  const bool may_wait = may_wait_for_lists(asking);
  shared<command_list> found;
  for (const requirement& needed : requirements) {
    needed.memory->visit_conflicts(needed.part, needed.mode, [&](const command& earlier) {
      if (found || &earlier == &asking) return;
      if (!may_wait || !is_explicit_list(earlier)) {
        found = collecting_list(&earlier);
      } else {
        lists_wait_for_lists.store(true, std::memory_order_relaxed);
      }
    });
  }
  return found;
}

/// Visits the commands and all their direct and indirect dependencies, each once, until `is_enough` returns true. All
/// visited commands stay in `commands`, so that the caller can drop these references without holding locks.
template <class Visitor>
bool visit_before(std::vector<command_ptr>& commands, const Visitor& is_enough) {
  std::unordered_set<const command*> seen;
  for (std::size_t next = 0; next < commands.size(); ++next) {
    const command& at = *commands[next];
    if (at.is_complete() || !seen.insert(&at).second) continue;
    if (is_enough(at)) return true;
    // A dependency without a node is a command in a stream. Such a command depends only on earlier commands of its
    // stream, so no visit is necessary.
    short_list<dependency, 4> dependencies = at.dependencies();
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
      if (dependencies[i].node) commands.push_back(std::move(dependencies[i].node));
    }
  }
  return false;
}

/// Returns whether a dependency of the kernel waits for the list, directly or indirectly. Called under the locks of all
/// buffers.
bool closes_circle(const command_ptr& list, const collected_kernel& kernel, std::vector<command_ptr>& needed) {
  if (!lists_wait_for_lists.load(std::memory_order_relaxed) || !list->has_successors()) return false;
  const command_list* own = list->fusion.load(std::memory_order_relaxed);
  for (const dependency& each : kernel.before) {
    if (each.node && each.node->fusion.load(std::memory_order_relaxed) != own) needed.push_back(each.node);
  }
  for (const requirement& each : kernel.requirements) {
    // The kernel may need a transfer. The transfer waits for all users of the memory at its target, and also copies the
    // bytes between the rows of a box, so it conflicts with more commands than the kernel.
    const bool moves = !each.memory->is_on_host_only();
    each.memory->visit_conflicts(moves ? region(each.part.begin(), each.part.end()) : each.part,
                                 moves ? access_mode::read_write : each.mode, [&](command& earlier) {
                                   if (&earlier != list.get()) needed.emplace_back(&earlier);
                                 });
  }
  return visit_before(needed, [&](const command& before) { return &before == list.get(); });
}

/// If `waiting` depends on a list that still collects commands, returns this list. `waiting` represents no list itself.
shared<command_list> collecting_list_before(const command_ptr& waiting) {
  if (command_list::count_active() == 0 || !lists_wait_for_lists.load(std::memory_order_relaxed)) return nullptr;
  shared<command_list> found;
  std::vector<command_ptr> visited{waiting};
  visit_before(visited, [&](const command& before) {
    found = collecting_list(&before);
    return static_cast<bool>(found);
  });
  return found;
}

/// Releases a fused command that is held back. Returns false if the command was not held back.
bool release_held(const command_ptr& fused, ready_list& ready) {
  if (!fused->held.load(std::memory_order_relaxed)) return false;
  std::lock_guard lock(fusion_mutex());
  if (!fused->held || fused->fusion) return false;
  held_back.fetch_sub(1, std::memory_order_relaxed);
  drop_hold(fused, ready);
  return true;
}

/// Releases the held commands on which `waiting` depends. A fused kernel's event has no work of its own, but depends on
/// the fused command. So the event's dependencies are searched, too.
void release_held_before(const command& waiting, ready_list& ready) {
  const short_list<dependency, 4> dependencies = waiting.dependencies();
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    const command_ptr& node = dependencies[i].node;
    if (!node || node->is_complete()) continue;
    // One fused list may wait for another.
    if (release_held(node, ready) || node->has_no_work) release_held_before(*node, ready);
  }
}

/// Says whether the caller only queries the state, or is about to wait and to run dependencies.
enum class visitor { asks, waits };

/// Looks at `awaited` and its dependencies. Ends lists among them that still collect, and releases commands among them
/// that are held back. Otherwise these commands might never start.
void let_go(const command_ptr& awaited, visitor by) {
  if (const shared<command_list> list = collecting_list(awaited.get())) {
    // A query of the state does not end a fusion that the user has started.
    if (by == visitor::asks && !list->is_automatic()) return;
    // The end of an automatic list makes a fused command, which is held back for a moment and is released below.
    list->end_early(list_end::synchronization);
  }
  while (const shared<command_list> list = collecting_list_before(awaited)) list->end_early(list_end::synchronization);
  if (!any_fused_held()) return;
  ready_list ready;
  release_held(awaited, ready);
  release_held_before(*awaited, ready);
  for (std::size_t i = 0; i < ready.size(); ++i) dispatch(ready[i], by == visitor::asks ? urgency::now : urgency::soon);
}

/// Waits for the command, and runs its dependencies if no other thread runs them. If `until_ready` is true, waits only
/// until no dependency blocks the command.
void help_until(const command_ptr& awaited, bool until_ready) {
  constexpr int spins = 64;
  // The path from the awaited command to the current command. Each command of the path waits for the next command of
  // the path.
  short_list<dependency, 4> path;
  path.push_back(awaited);
  ready_list ready;
  auto done = [&] { return awaited->is_complete() || (until_ready && awaited->status() != command::state::waiting); };
  for (int spin = 0; !done();) {
    const dependency at = path.back();
    if (at.is_complete()) {
      path.pop_back();
      continue;
    }
    if (!at.node) {
      at.order->wait(at.ticket);
      continue;
    }
    if (at.node->works_by_itself()) {
      if (at.node->status() == command::state::ready) start_on_device(at.node);
      if (const device_point point = at.node->handed_over(); point.channel) {
        const sleeping_scope sleeps;
        point.channel->wait(point.ticket);
        if (at.is_complete()) continue;
      }
    } else if (const running_scope busy; at.node->claim()) {  // begins before the work is taken, see worker_pool::work
      run(*at.node, ready);
      // If the next command on the path has become ready, this thread runs it. The other ready commands go to the pool.
      const command* next = path.size() > 1 ? path[path.size() - 2].node.get() : nullptr;
      for (std::size_t i = 0; i < ready.size(); ++i) {
        if (ready[i].get() != next || shuffles()) dispatch(ready[i]);
      }
      ready.clear();
      spin = 0;
      continue;
    }
    if (at.node->status() == command::state::waiting) {
      if (dependency next = at.node->next_to_help(shuffles() ? shuffled(16) : 0); !next.is_complete()) {
        path.push_back(std::move(next));
        continue;
      }
    }
    // Another thread runs the command, or will soon make the command ready.
    if (++spin < spins) {
      std::this_thread::yield();
      continue;
    }
    const sleeping_scope sleeps;
    worker_pool::instance().add_sleeper();
    awaited->sleep_until_complete(until_ready);
    worker_pool::instance().drop_sleeper();
  }
}

/// Keeps an object. The order of the members matters: `object` is destroyed before `memory`.
struct kept_object : counted {
  explicit kept_object(shared<counted> its_object) : object(std::move(its_object)) {}
  const kept_memory memory;
  shared<counted> object;
};

}  // namespace

bool any_incomplete() noexcept {
  std::ptrdiff_t sum = 0;
  for (const counter& each : incomplete) sum += each.value.load();
  if (sum == 0) sinter::note_acquire(incomplete);
  return sum != 0;
}

void enter(const command& submitted) noexcept {
  if (submitted.host_access) return;
  count_incomplete(1);
  submitted.queue->count_node(1);
}

void note_wait_for_list(const command& before) noexcept {
  if (before.fusion.load(std::memory_order_acquire)) lists_wait_for_lists.store(true, std::memory_order_relaxed);
}

namespace {

/// Makes `after` wait for `before`. `is_first` says that no other thread can see the dependencies of `after` yet.
void add_edge(const dependency& before, const command_ptr& after, bool is_first) {
  if (before.is_complete() || before.node == after) return;
  if (!(is_first ? after->remember_first_dependency(before) : after->remember_dependency(before))) return;
  if (sinter::traces()) trace_edge(before, *after);
  if (drops_edge()) return;
  if (before.node) {
    before.node->add_successor(after);
  } else {
    before.order->follow(before.ticket, after);
  }
}

}  // namespace

void add_edge(const dependency& before, const command_ptr& after) { add_edge(before, after, false); }

std::uint64_t now_nanoseconds() noexcept {
  return sinter::traces() ? sinter::trace_time() : sinter::steady_time();
}

shared<command_list> submit_command(const command_ptr& submitted, const dependency& previous,
                                    std::span<const dependency> dependencies,
                                    std::span<const requirement> requirements) {
  const command_list* own = submitted->fusion.load(std::memory_order_relaxed);
  if (shared<command_list> list = collecting_list({&previous, 1}, own)) return list;
  if (shared<command_list> list = collecting_list(dependencies, own)) return list;
  // These references to commands are destroyed after the locks are released, because they may be the last references to
  // a command and its objects.
  short_list<command_ptr, 4> conflicts;
  transfers_for transfers(submitted);
  {
    std::unique_lock<std::mutex> growth;
    if (may_wait_for_lists(*submitted)) growth = std::unique_lock(growth_mutex());
    const locked_records lock(requirements);
    if (shared<command_list> list = collecting_user(requirements, *submitted)) return list;
    if (submitted->queue && submitted->queue->profiling()) submitted->submit_time = now_nanoseconds();
    enter(*submitted);
    add_edge(previous, submitted, true);
    for (const dependency& each : dependencies) add_edge(each, submitted, true);
    transfers.bring(requirements);
    add_user(submitted, requirements, conflicts);
    for (std::size_t i = 0; i < conflicts.size(); ++i) {
      if (!(conflicts[i] == previous.node)) add_edge(conflicts[i], submitted, true);
    }
  }
  drop_blockers(transfers.made());
  start_submitted(submitted);
  return nullptr;
}

void release_before(const command_ptr& submitted) {
  if (!any_fused_held()) return;
  ready_list ready;
  release_held_before(*submitted, ready);
  dispatch(ready);
}

shared<command_list> collecting_list(std::span<const dependency> dependencies, const command_list* own) {
  if (command_list::count_active() == 0) return nullptr;
  for (const dependency& each : dependencies) {
    if (shared<command_list> list = collecting_list(each.node.get()); list && list.get() != own) return list;
  }
  return nullptr;
}

bool end_fusion_of(const command& wanted) {
  const shared<command_list> list = collecting_list(&wanted);
  if (list) list->end_early(list_end::synchronization);
  return static_cast<bool>(list);
}

obstacle extend_command(const command_ptr& list, collected_kernel& kernel) {
  short_list<command_ptr, 4> conflicts;
  std::vector<command_ptr> visited;
  transfers_for transfers(list);
  std::unique_lock<std::mutex> growth;
  if (may_wait_for_lists(*list)) growth = std::unique_lock(growth_mutex());
  std::optional<locked_records> lock(std::in_place, kernel.requirements);
  if (shared<command_list> other = collecting_user(kernel.requirements, *list)) return {std::move(other)};
  command_list* own = list->fusion.load(std::memory_order_relaxed);
  if (closes_circle(list, kernel, visited)) return {shared<command_list>(own), true};
  for (const dependency& each : kernel.before) {
    if (!each.node || each.node->fusion.load(std::memory_order_relaxed) != own) add_edge(each, list);
  }
  transfers.bring(kernel.requirements);
  for (const command_ptr& each : transfers.needed()) kernel.before.push_back(each);
  add_user(list, kernel.requirements, conflicts);
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    if (conflicts[i]->is_complete()) continue;
    add_edge(conflicts[i], list);
    kernel.before.push_back(conflicts[i]);
  }
  lock.reset();
  drop_blockers(transfers.made());
  return {};
}

void submit_collected(std::span<const command_ptr> kernels, std::span<const collected_kernel> details,
                      const command_ptr& list, bool in_order) {
  std::vector<requirement> all;
  for (const collected_kernel& each : details)
    all.insert(all.end(), each.requirements.begin(), each.requirements.end());
  short_list<command_ptr, 4> conflicts;
  command_ptr latest_in_order;
  {
    const locked_records lock(all);
    // While the kernels are submitted, the users of memory that are known so far are hidden, so that no new edges are
    // made. No edges are needed: `details` names the earlier users for which the kernels have to wait, and later users
    // wait for the list's command.
    for (const requirement& each : all) each.memory->set_users_aside(list.get());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      enter(*kernels[k]);
      if (in_order || details[k].in_order) {
        if (latest_in_order) add_edge(latest_in_order, kernels[k]);
        latest_in_order = kernels[k];
      }
      for (const dependency& each : details[k].before) {
        if (each.node != list) {
          add_edge(each, kernels[k]);
        } else {
          for (std::size_t i = 0; i < k; ++i) add_edge(kernels[i], kernels[k]);
        }
      }
      const std::size_t first = conflicts.size();
      add_user(kernels[k], details[k].requirements, conflicts);
      for (std::size_t i = first; i < conflicts.size(); ++i) add_edge(conflicts[i], kernels[k]);
      add_edge(kernels[k], list);
    }
    for (const requirement& each : all) each.memory->bring_users_back();
  }
  ready_list ready;
  {
    std::lock_guard lock(fusion_mutex());
    // The command has nothing to run, so no thread is woken for it.
    list->has_no_work = true;
    for (const command_ptr& each : kernels) each->fusion.store(nullptr, std::memory_order_release);
    list->fusion.store(nullptr, std::memory_order_release);
    drop_hold(list, ready);
  }
  dispatch(ready);
  drop_blockers(kernels);
}

void submit_fused(std::span<const command_ptr> events, const command_ptr& list) {
  {
    std::lock_guard lock(fusion_mutex());
    for (const command_ptr& each : events) {
      enter(*each);
      add_edge(list, each);
      each->has_no_work = true;
      each->fusion.store(nullptr, std::memory_order_release);
    }
    // The command stays held back. In most cases a waiting thread will run the command, so no thread has to be woken.
    held_back.fetch_add(1, std::memory_order_relaxed);
    list->fusion.store(nullptr, std::memory_order_release);
  }
  drop_blockers(events);
}

void drop_blockers(std::span<const command_ptr> blocked) {
  if (blocked.empty()) return;
  ready_list ready;
  for (const command_ptr& each : blocked) {
    if (each->unblock()) free_command(each, nullptr, ready);
  }
  dispatch(ready);
}

void finish_on_device(const command_ptr& complete) {
  ready_list ready;
  // The work and the kept objects are released before the command counts as complete, for the reason given in run().
  complete->work = nullptr;
  complete->launches.clear();
  complete->kernel.reset();
  complete->list.reset();
  complete->keep.clear();
  finish(*complete, ready);
  dispatch(ready);
}

void run_claimed(command_ptr claimed) {
  for (ready_list ready; claimed; ready.clear()) {
    run(*claimed, ready);
    claimed.reset();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      command_ptr& each = ready[i];
      // One command runs on this thread, whose caches contain data that the command needs.
      if (!claimed && !shuffles() && !each->works_by_itself() && each->claim()) {
        claimed = std::move(each);
      } else {
        dispatch(each);
      }
    }
  }
}

void release_fused(const command_ptr& fused) {
  ready_list ready;
  release_held(fused, ready);
  for (std::size_t i = 0; i < ready.size(); ++i) dispatch(ready[i], urgency::now);
}

void wait_for(const dependency& awaited) {
  if (awaited.is_complete()) return;
  if (is_on_ending_thread()) return run_until([&] { return awaited.is_complete(); });
  refuse_forked();
  const waiting_mark mark(awaited);
  if (!awaited.node) return awaited.order->wait(awaited.ticket);
  let_go(awaited.node, visitor::waits);
  help_until(awaited.node, false);
}

void let_go_for_others(const command_ptr& wanted) {
  if (!wanted->is_complete()) let_go(wanted, visitor::asks);
}

void start_soon(const dependency& wanted) {
  if (wanted.node && !wanted.is_complete()) let_go(wanted.node, visitor::waits);
}

void wait_until_ready(const command_ptr& access) {
  if (is_on_ending_thread()) {
    run_until([&] { return access->status() != command::state::waiting; });
  } else {
    const waiting_mark mark(access);
    let_go(access, visitor::waits);
    help_until(access, true);
  }
  access->note_unblocked();
}

command::state state_of(const dependency& queried) {
  if (queried.is_complete()) return command::state::complete;
  if (!queried.node) {
    return queried.order->is_running(queried.ticket) ? command::state::running : command::state::waiting;
  }
  // Without this call, a program that polls for a held command would wait for ever.
  let_go(queried.node, visitor::asks);
  if (const device_point point = queried.node->handed_over(); point.channel) point.channel->retire();
  const command::state state = queried.node->status();
  // is_complete also makes the memory that the command wrote visible to this thread.
  if (state == command::state::complete) (void)queried.is_complete();
  return state;
}

void submit_host_access(const command_ptr& access, const requirement& needed) {
  while (const shared<command_list> list = submit_command(access, {}, {}, {&needed, 1})) {
    list->end_early(list_end::synchronization);
  }
  release_before(access);
}

void keep_until_complete(shared<counted> kept, std::span<const dependency> users) {
  if (drops_keep()) return;
  // This command never runs, and no thread waits for it or counts it. The command keeps the object until the command's
  // dependencies are complete.
  auto keeper = make_counted<command>();
  keeper->host_access = keeper->has_no_work = true;
  keeper->keep.push_back(make_counted<kept_object>(std::move(kept)));
  for (const dependency& each : users) {
    if (each.node) {
      each.node->add_successor(keeper);
    } else if (each.order) {
      each.order->follow(each.ticket, keeper);
    }
  }
  drop_blockers({&keeper, 1});
}

void complete_host_access(const command_ptr& access) {
  if (is_forked()) return;
  ready_list ready;
  if (sinter::traces()) trace_host_access(*access);
  access->keep.clear();
  finish(*access, ready);
  dispatch(ready);
}

}  // namespace sycl::detail
