#include "scheduler.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fusion/fused_hold.hpp>
#include <fusion/fusion_list.hpp>
#include <memory/buffer_record.hpp>
#include <runtime/objects.hpp>
#include <thread>
#include <utility>

#include "attendant.hpp"
#include "test_hooks.hpp"
#include "worker_pool.hpp"

namespace sycl::detail {
namespace {

std::atomic<bool> forked{false};

/// Submitted nodes that are not complete, host accesses left out. Counted in several places, so that threads rarely
/// meet; each may be below zero.
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

void enter(const command& submitted) noexcept {
  if (submitted.host_access) return;
  count_incomplete(1);
  submitted.queue->count_node(1);
}

void leave(const command& complete) noexcept {
  if (complete.host_access) return;
  complete.queue->count_node(-1);
  count_incomplete(-1);
}

bool any_incomplete() noexcept {
  std::ptrdiff_t sum = 0;
  for (const counter& each : incomplete) sum += each.value.load();
  return sum != 0;
}

/// Protects what fusion changes about commands others can see: holds, shells and the marks of walks. Only locked while
/// anything is fused.
std::mutex& fusion_mutex() {
  static auto* instance = new std::mutex;
  return *instance;
}

/// Under the fusion mutex: walks over the DAG so far.
std::uint64_t walks = 0;

using ready_list = short_list<command_ptr, 4>;

void dispatch(const command_ptr& ready) {
  worker_pool::instance().push(ready, ready->estimate >= worth_waking ? urgency::now : urgency::soon);
}

void dispatch(const ready_list& ready) {
  for (std::size_t i = 0; i < ready.size(); ++i) dispatch(ready[i]);
}

void finish(command& done, ready_list& ready);

/// The last blocker of `freed` is gone, which was `by`, if it was a command.
void free_command(const command_ptr& freed, const command* by, ready_list& ready) {
  if (freed->shell) {
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

/// The command has run; what waits for nothing else is added to `ready`.
void finish(command& done, ready_list& ready) {
  const command::successor_list successors = done.set_complete();
  for (std::size_t i = 0; i < successors.size(); ++i) {
    if (successors[i]->unblock()) free_command(successors[i], &done, ready);
  }
  leave(done);
}

/// A claimed command, from start to end.
void run(command& claimed, ready_list& ready) {
  const bool profiled = claimed.queue && claimed.queue->profiling();
  const std::uint64_t start = now_nanoseconds();
  if (profiled) claimed.start_time = start;
  try {
    if (claimed.kernel) {
      claimed.queue->run_kernel(claimed.kernel->launch);
    } else if (claimed.work) {
      claimed.work();
    }
  } catch (...) {
    claimed.queue->add_error(std::current_exception());
  }
  const std::uint64_t end = now_nanoseconds();
  if (claimed.kernel) note_launch(claimed.kernel->launch, end - start);
  // Captured objects die before anyone sees the command as complete: their destructors may be waited for.
  claimed.work = nullptr;
  claimed.kernel.reset();
  claimed.keep.clear();
  if (profiled) claimed.end_time = end;
  finish(claimed, ready);
}

void add_edge(const dependency& before, const command_ptr& after) {
  if (before.is_complete() || before.node == after) return;
  if (!after->remember_dependency(before) || drops_edge()) return;
  if (before.node) {
    before.node->add_successor(after);
  } else {
    before.order->follow(before.ticket, after);
  }
}

/// Locks the users of all buffers of a submission, each once and by address.
class locked_records {
public:
  explicit locked_records(std::span<const requirement> requirements) {
    if (requirements.size() == 1) {
      m_only = requirements.front().record.get();
      m_only->users_mutex().lock();
      return;
    }
    for (const requirement& needed : requirements) m_records.push_back(needed.record.get());
    std::sort(m_records.begin(), m_records.end(), std::less<>());
    m_records.erase(std::unique(m_records.begin(), m_records.end()), m_records.end());
    for (buffer_record* record : m_records) record->users_mutex().lock();
  }
  locked_records(const locked_records&) = delete;
  ~locked_records() {
    if (m_only) m_only->users_mutex().unlock();
    for (buffer_record* record : m_records) record->users_mutex().unlock();
  }

private:
  buffer_record* m_only = nullptr;
  std::vector<buffer_record*> m_records;
};

/// Fused commands that are held back: the hot paths ask this first.
std::atomic<std::size_t> held_back{0};

bool any_fused_held() noexcept { return held_back.load(std::memory_order_relaxed) != 0; }

/// Under the fusion mutex.
void drop_hold(const command_ptr& held, ready_list& ready) {
  if (!held->fusion) held_back.fetch_sub(1, std::memory_order_relaxed);
  held->held = false;
  held->fusion = nullptr;
  if (held->unblock()) free_command(held, nullptr, ready);
}

/// Under the fusion mutex: whether the command is such a one, or waits for one, directly or not.
template <class Predicate>
bool waits_for_any(const command_ptr& waiting, Predicate wanted) {
  std::vector<command_ptr> work{waiting};
  const std::uint64_t walk = ++walks;
  while (!work.empty()) {
    const command_ptr at = std::move(work.back());
    work.pop_back();
    if (at->is_complete() || std::exchange(at->visited, walk) == walk) continue;
    if (wanted(*at)) return true;
    at->append_dependencies(work);
  }
  return false;
}

/// Under the fusion mutex: lists, other than its own, that hold what the command waits for, directly or not. Fused
/// commands that are held back are let go.
std::vector<shared<fusion_list>> fusions_before(const command_ptr& waiting, const fusion_list* own, ready_list& ready) {
  static auto& work = *new std::vector<command_ptr>;  // its memory is used again
  std::vector<shared<fusion_list>> result;
  const std::uint64_t walk = ++walks;
  work.push_back(waiting);
  while (!work.empty()) {
    const command_ptr at = std::move(work.back());
    work.pop_back();
    if (at->is_complete() || std::exchange(at->visited, walk) == walk) continue;
    if (at->fusion && at->fusion != own) result.emplace_back(at->fusion);
    if (at->held && !at->fusion && at != waiting) drop_hold(at, ready);
    // What its own list has collected came by here then.
    if (!own || at->fusion != own || at == waiting) at->append_dependencies(work);
  }
  return result;
}

/// Whether the caller only asks, or is about to wait and to run what it waits for.
enum class visitor { asks, waits };

/// Nobody waits for what is only collected.
void end_fusions_before(const command_ptr& awaited, visitor by) {
  while (fusion_list::count_active() != 0 || any_fused_held()) {
    std::vector<shared<fusion_list>> lists;
    ready_list ready;
    {
      std::lock_guard lock(fusion_mutex());
      if (awaited->held && !awaited->fusion) drop_hold(awaited, ready);
      lists = fusions_before(awaited, nullptr, ready);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      worker_pool::instance().push(ready[i], by == visitor::asks ? urgency::now : urgency::soon);
    }
    // Who only asks for a state does not end what the user has started.
    if (by == visitor::asks) std::erase_if(lists, [](const auto& list) { return !list->is_automatic(); });
    for (const shared<fusion_list>& list : lists) list->end_early(fusion_end::synchronization);
    // An automatic list leaves a fused command behind, held for whoever waits.
    if (lists.empty()) return;
  }
}

/// Waits for the command, running what it waits for where nobody else does. `until_ready`: until nothing blocks it.
void help_until(const command_ptr& awaited, bool until_ready) {
  constexpr int spins = 64;
  // From the awaited command down to what is looked at: each waits for the one behind it.
  std::vector<dependency> path{awaited};
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
    if (at.node->claim()) {
      run(*at.node, ready);
      // The next on the path is this thread's next one. Nobody knows who will need the others.
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
    // Somebody runs it, or is about to make it ready.
    if (++spin < spins) {
      std::this_thread::yield();
      continue;
    }
    worker_pool::instance().add_sleeper();
    awaited->sleep_until_complete(until_ready);
    worker_pool::instance().drop_sleeper();
  }
}

std::atomic<void (*)()> drained_last{nullptr};

/// The end of the main thread comes before all of what exit() calls: libraries that the JIT uses make static objects
/// while they work, which exit() destroys before anything that was registered earlier gets to wait.
struct main_thread_end {
  ~main_thread_end() {
    if (gettid() == getpid()) drain_commands();
  }
};

}  // namespace

void start_scheduler() {
  static thread_local const main_thread_end waits_first;
  (void)waits_first;
  static const int started = [] {
    pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
    return std::atexit(drain_commands);
  }();
  (void)started;
  if (forked.load(std::memory_order_relaxed)) {
    throw exception(make_error_code(errc::runtime),
                    "this process was forked from one that had started Sinter, whose threads don't exist here; fork "
                    "before using SYCL, or exec");
  }
}

void drain_commands() {
  if (forked.load()) return;
  fusion_list::end_all();
  release_all_fused();
  // Host accesses end with their accessors, which may be static objects: those nobody waits for. Commands may submit
  // others.
  for (bool idle = false; !idle;) {
    idle = !any_incomplete();
    if (!idle) std::this_thread::sleep_for(std::chrono::microseconds(50));
    // Not on this thread: what belongs to it may be gone already.
    for (const shared<lane>& each : attendant::instance().lanes()) {
      if (each->is_idle()) continue;
      each->hurry();
      idle = false;
    }
  }
  if (void (*more)() = drained_last.load()) more();
}

void drain_at_last(void (*wait)()) { drained_last.store(wait); }

void slow_down(std::uint64_t ahead) {
  constexpr std::uint64_t far_ahead = 8192;
  if (ahead > far_ahead) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

std::uint64_t now_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void submit_command(const command_ptr& submitted, const dependency& previous, std::span<const dependency> dependencies,
                    std::span<const requirement> requirements) {
  if (submitted->queue && submitted->queue->profiling()) submitted->submit_time = now_nanoseconds();
  enter(*submitted);
  add_edge(previous, submitted);
  for (const dependency& each : dependencies) add_edge(each, submitted);
  if (!requirements.empty()) {
    // Those that are not users any more die without the locks: they may be the last to refer to something.
    short_list<command_ptr, 4> conflicts;
    const locked_records lock(requirements);
    for (const requirement& needed : requirements) {
      needed.record->add_user(submitted, needed.part, needed.mode, conflicts);
    }
    for (std::size_t i = 0; i < conflicts.size(); ++i) add_edge(conflicts[i], submitted);
  }
  drop_blockers({&submitted, 1});
}

void end_fusions_for(const command_ptr& submitted, std::span<const dependency> named, bool is_collected) {
  // The list that collects it is active, too.
  if (fusion_list::count_active() <= (is_collected ? 1u : 0u) && !any_fused_held()) return;
  std::vector<shared<fusion_list>> ended;
  ready_list ready;
  std::vector<const fusion_list*> by_event;
  const fusion_list* own;
  {
    std::lock_guard lock(fusion_mutex());
    own = submitted->fusion;
    ended = fusions_before(submitted, own, ready);
    for (const dependency& each : named) by_event.push_back(each.node ? each.node->fusion : nullptr);
  }
  dispatch(ready);
  for (const shared<fusion_list>& list : ended) {
    const bool named_one = std::find(by_event.begin(), by_event.end(), list.get()) != by_event.end();
    list->end_early(!own        ? fusion_end::synchronization
                    : named_one ? fusion_end::event_of_other_fusion
                                : fusion_end::memory_of_other_fusion);
  }
}

void drop_blockers(std::span<const command_ptr> blocked) {
  ready_list ready;
  for (const command_ptr& each : blocked) {
    if (each->unblock()) free_command(each, nullptr, ready);
  }
  dispatch(ready);
}

void run_claimed(command_ptr claimed) {
  for (ready_list ready; claimed; ready.clear()) {
    run(*claimed, ready);
    claimed.reset();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      command_ptr& each = ready[i];
      // One stays here: it needs what this thread has in its caches.
      if (!claimed && !shuffles() && each->claim()) {
        claimed = std::move(each);
      } else {
        dispatch(each);
      }
    }
  }
}

void release_commands(std::span<const command_ptr> held, const command_ptr& last) {
  ready_list ready;
  {
    std::lock_guard lock(fusion_mutex());
    // What waits for the list's event itself, the event does not stand for.
    const bool is_awaited = last->is_awaited_by_others({});
    const auto is_last = [&](const command& at) { return &at == last.get(); };
    for (const command_ptr& each : held) {
      if (!is_awaited || !waits_for_any(each, is_last)) add_edge(each, last);
    }
    for (const command_ptr& each : held) drop_hold(each, ready);
    // It has nothing to run: no thread is woken for it.
    last->shell = true;
    drop_hold(last, ready);
  }
  dispatch(ready);
}

bool replace_commands(std::span<const command_ptr> held, const command_ptr& fused, const command_ptr& last) {
  ready_list ready;
  std::lock_guard lock(fusion_mutex());
  short_list<dependency, 8> outside;
  for (const command_ptr& each : held) {
    const short_list<dependency, 4> dependencies = each->dependencies();
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
      const dependency& before = dependencies[i];
      if (!before.is_complete() && std::find(held.begin(), held.end(), before.node) == held.end()) outside.push_back(before);
    }
  }
  // Another thread may have submitted a command between two of the list's that waits for the first, and the list was complete
  // before that thread could end it.
  const bool is_awaited = last->is_awaited_by_others({}) ||
                          std::any_of(held.begin(), held.end(), [&](const auto& each) { return each->is_awaited_by_others(held); });
  const auto is_of_list = [list = last->fusion](const command& at) { return at.fusion == list; };
  for (std::size_t i = 0; is_awaited && i < outside.size(); ++i) {
    if (outside[i].node && waits_for_any(outside[i].node, is_of_list)) return false;
  }
  enter(*fused);
  // Held back, by the blocker every command begins with: mostly a waiting thread comes and runs it, without another one
  // being woken.
  fused->held = true;
  held_back.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < outside.size(); ++i) add_edge(outside[i], fused);
  for (const command_ptr& each : held) {
    add_edge(fused, each);
    std::move(each->keep.begin(), each->keep.end(), std::back_inserter(fused->keep));
    each->keep.clear();
    each->work = nullptr;
    each->shell = true;
    drop_hold(each, ready);
  }
  // Behind the others: they complete in this order.
  add_edge(fused, last);
  last->shell = true;
  drop_hold(last, ready);
  return true;
}

void release_fused(const command_ptr& fused) {
  ready_list ready;
  {
    std::lock_guard lock(fusion_mutex());
    if (fused->held) drop_hold(fused, ready);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) worker_pool::instance().push(ready[i], urgency::now);
}

void wait_for(const dependency& awaited) {
  if (awaited.is_complete()) return;
  start_scheduler();
  if (!awaited.node) return awaited.order->wait(awaited.ticket);
  end_fusions_before(awaited.node, visitor::waits);
  help_until(awaited.node, false);
}

void start_soon(const dependency& wanted) {
  if (wanted.node && !wanted.is_complete()) end_fusions_before(wanted.node, visitor::waits);
}

void wait_until_ready(const command_ptr& access) {
  end_fusions_before(access, visitor::waits);
  help_until(access, true);
}

command::state state_of(const dependency& queried) {
  if (queried.is_complete()) return command::state::complete;
  if (!queried.node) {
    return queried.order->is_running(queried.ticket) ? command::state::running : command::state::waiting;
  }
  // Programs that poll must see progress.
  end_fusions_before(queried.node, visitor::asks);
  return queried.node->status();
}

void complete_host_access(const command_ptr& access) {
  if (forked.load()) return;
  ready_list ready;
  access->keep.clear();
  finish(*access, ready);
  dispatch(ready);
}

}  // namespace sycl::detail
