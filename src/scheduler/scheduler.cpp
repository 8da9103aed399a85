#include "scheduler.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fusion/fused_hold.hpp>
#include <fusion/fusion_list.hpp>
#include <memory/buffer_record.hpp>
#include <mutex>
#include <runtime/objects.hpp>
#include <thread>
#include <utility>

namespace sycl::detail {
namespace {

// Enough for commands that block (host tasks, kernels that poll) not to starve the others.
constexpr std::size_t max_workers = 32;

/// Never destroyed: threads and static objects may still use it when the program ends.
struct graph {
  std::mutex mutex;  // protects everything here, all edges and states of commands, and buffer users
  std::condition_variable completed;
  std::condition_variable work_available;
  std::deque<command_ptr> ready;
  std::size_t workers = 0;
  std::size_t idle_workers = 0;
  std::size_t incomplete = 0;
  std::uint64_t walks = 0;
  bool started = false;
  std::atomic<bool> forked{false};
};

graph& the_graph() {
  static auto* instance = new graph;
  return *instance;
}

/// Under the mutex, once.
void start(graph& g) {
  g.started = true;
  std::atexit(drain_commands);
  pthread_atfork(nullptr, nullptr, [] { the_graph().forked = true; });
}

void refuse_forked_child(const graph& g) {
  if (g.forked) {
    throw exception(make_error_code(errc::runtime),
                    "this process was forked from one that had started Sinter, whose threads don't exist here; fork "
                    "before using SYCL, or exec");
  }
}

void run(command& work);

void worker() {
  graph& g = the_graph();
  std::unique_lock lock(g.mutex);
  for (;;) {
    ++g.idle_workers;
    g.work_available.wait(lock, [&] { return !g.ready.empty(); });
    --g.idle_workers;
    command_ptr next = std::move(g.ready.front());
    g.ready.pop_front();
    if (next->status != command::state::ready) continue;  // a waiting thread took it
    next->status = command::state::running;
    lock.unlock();
    run(*next);
    next.reset();
    lock.lock();
  }
}

/// Under the mutex: a command whose dependencies are complete.
void make_ready(graph& g, const command_ptr& next) {
  if (next->host_access) {
    next->status = command::state::running;
    g.completed.notify_all();
    return;
  }
  next->status = command::state::ready;
  g.ready.push_back(next);
  // Idle workers count as idle until they have woken, so each ready command needs one of its own.
  if (g.ready.size() <= g.idle_workers) {
    g.work_available.notify_one();
  } else if (g.workers < max_workers) {
    ++g.workers;
    std::thread(worker).detach();
  }
}

/// Under the mutex.
void complete(graph& g, command& done) {
  done.status = command::state::complete;
  if (!done.host_access) --g.incomplete;
  for (const command_ptr& next : done.successors) {
    if (--next->blockers != 0) continue;
    if (next->shell) {
      next->start_time = done.start_time;
      next->end_time = done.end_time;
      complete(g, *next);
    } else {
      make_ready(g, next);
    }
  }
  done.successors.clear();
  done.dependencies.clear();
  g.completed.notify_all();
}

void run(command& work) {
  if (work.queue && work.queue->profiling()) work.start_time = now_nanoseconds();
  try {
    if (work.work) work.work();
  } catch (...) {
    work.queue->add_error(std::current_exception());
  }
  // Captured objects die before anyone sees the command as complete: their destructors may be waited for.
  work.work = nullptr;
  work.kernel.reset();
  work.keep.clear();
  if (work.queue && work.queue->profiling()) work.end_time = now_nanoseconds();
  graph& g = the_graph();
  std::lock_guard lock(g.mutex);
  complete(g, work);
}

/// Who runs a command whose hold ends: any worker, or the calling thread, which is about to wait for it.
enum class runner { worker, caller };

/// Under the mutex.
void drop_hold(graph& g, const command_ptr& held, runner by = runner::worker) {
  held->held = false;
  held->fusion = nullptr;
  if (--held->blockers != 0) return;
  if (by == runner::worker) {
    make_ready(g, held);
  } else {
    held->status = command::state::ready;
  }
}

/// Under the mutex: lists, other than its own, that hold what the command waits for, directly or not. Fused commands that
/// are held back are let go.
std::vector<shared<fusion_list>> fusions_before(graph& g, const command_ptr& waiting, const fusion_list* own, runner by) {
  std::vector<shared<fusion_list>> result;
  std::vector<command*> work{waiting.get()};
  const std::uint64_t walk = ++g.walks;
  while (!work.empty()) {
    command* at = work.back();
    work.pop_back();
    if (at->status == command::state::complete || std::exchange(at->visited, walk) == walk) continue;
    if (at->fusion && at->fusion != own) result.emplace_back(at->fusion);
    if (at->held && !at->fusion && at != waiting.get()) drop_hold(g, command_ptr(at), by);
    for (const command_ptr& before : at->dependencies) work.push_back(before.get());
  }
  return result;
}

void add_edge(const command_ptr& before, const command_ptr& after) {
  if (!before || before == after || before->status == command::state::complete) return;
  if (std::find(after->dependencies.begin(), after->dependencies.end(), before) != after->dependencies.end()) return;
  before->successors.push_back(after);
  after->dependencies.push_back(before);
  ++after->blockers;
}

void forget_complete(std::vector<command_ptr>& commands) {
  std::erase_if(commands, [](const command_ptr& c) { return c->status == command::state::complete; });
}

void add_requirement_edges(const requirement& needed, const command_ptr& user) {
  buffer_record& record = *needed.record;
  if (record.last_writer && record.last_writer->status == command::state::complete) record.last_writer.reset();
  add_edge(record.last_writer, user);
  if (!mode_writes(needed.mode)) {
    if (record.readers.size() >= 16) forget_complete(record.readers);
    if (record.last_writer != user) record.readers.push_back(user);
    return;
  }
  for (const command_ptr& reader : record.readers) add_edge(reader, user);
  record.readers.clear();
  record.last_writer = user;
  record.written = true;
}

/// Under the mutex: a ready command whose completion brings `awaited` nearer; null when all of them are running.
command_ptr find_runnable(const command_ptr& awaited) {
  command_ptr at = awaited;
  for (;;) {
    if (at->status == command::state::ready) return at;
    if (at->status != command::state::waiting) return nullptr;
    auto next = std::find_if(at->dependencies.begin(), at->dependencies.end(), [](const command_ptr& dependency) {
      return dependency->status == command::state::ready || dependency->status == command::state::waiting;
    });
    if (next == at->dependencies.end()) return nullptr;
    at = *next;
  }
}

/// Waits for a state, running what it can meanwhile.
template <class Condition>
void help_until(const command_ptr& awaited, Condition condition) {
  graph& g = the_graph();
  std::unique_lock lock(g.mutex);
  while (!condition()) {
    if (command_ptr next = find_runnable(awaited)) {
      next->status = command::state::running;
      lock.unlock();
      run(*next);
      lock.lock();
    } else {
      g.completed.wait(lock);
    }
  }
}

/// Nobody waits for what is only collected.
void end_fusions_before(const command_ptr& awaited, runner by) {
  if (!fusion_list::any_active() && !any_fused_held()) return;
  std::vector<shared<fusion_list>> lists;
  {
    graph& g = the_graph();
    std::lock_guard lock(g.mutex);
    if (awaited->held && !awaited->fusion) drop_hold(g, awaited, by);
    lists = fusions_before(g, awaited, nullptr, by);
  }
  // Who only asks for a state does not end what the user has started.
  if (by == runner::worker) std::erase_if(lists, [](const auto& list) { return !list->is_automatic(); });
  for (const shared<fusion_list>& list : lists) list->end_early(fusion_end::synchronization);
  // An automatic list leaves a fused command behind, held for whoever waits.
  if (!lists.empty()) end_fusions_before(awaited, by);
}

} // namespace

void drain_commands() {
  graph& g = the_graph();
  if (g.forked) return;
  fusion_list::end_all();
  release_all_fused();
  std::unique_lock lock(g.mutex);
  // Host accesses end with their accessors, which may be static objects: those nobody waits for.
  g.completed.wait(lock, [&] { return g.incomplete == 0; });
}

std::uint64_t now_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void submit_command(const command_ptr& submitted, std::span<const command_ptr> dependencies,
                    std::span<const requirement> requirements) {
  graph& g = the_graph();
  refuse_forked_child(g);
  if (submitted->queue && submitted->queue->profiling()) submitted->submit_time = now_nanoseconds();
  std::vector<shared<fusion_list>> ended;
  {
    std::lock_guard lock(g.mutex);
    if (!g.started) start(g);
    if (submitted->held) ++submitted->blockers;
    for (const command_ptr& dependency : dependencies) add_edge(dependency, submitted);
    for (const requirement& needed : requirements) add_requirement_edges(needed, submitted);
    if (!submitted->host_access) ++g.incomplete;
    if (submitted->blockers == 0) make_ready(g, submitted);
    if (fusion_list::any_active() || any_fused_held()) ended = fusions_before(g, submitted, submitted->fusion, runner::worker);
  }
  for (const shared<fusion_list>& list : ended) {
    list->end_early(submitted->fusion ? fusion_end::other_fusion : fusion_end::synchronization);
  }
}

void release_commands(std::span<const command_ptr> held, const command_ptr& last) {
  graph& g = the_graph();
  std::lock_guard lock(g.mutex);
  for (const command_ptr& each : held) add_edge(each, last);
  for (const command_ptr& each : held) drop_hold(g, each);
  drop_hold(g, last);
}

void replace_commands(std::span<const command_ptr> held, const command_ptr& fused, const command_ptr& last) {
  graph& g = the_graph();
  std::lock_guard lock(g.mutex);
  ++g.incomplete;
  for (const command_ptr& each : held) {
    for (const command_ptr& before : each->dependencies) {
      if (std::find(held.begin(), held.end(), before) == held.end()) add_edge(before, fused);
    }
  }
  for (const command_ptr& each : held) {
    add_edge(fused, each);
    add_edge(each, last);
    std::move(each->keep.begin(), each->keep.end(), std::back_inserter(fused->keep));
    each->keep.clear();
    each->work = nullptr;
    each->shell = true;
    drop_hold(g, each);
  }
  last->shell = true;
  drop_hold(g, last);
  // Held back: mostly a waiting thread comes and runs it, without another one being woken.
  fused->held = true;
  ++fused->blockers;
}

void release_fused(const command_ptr& fused) {
  graph& g = the_graph();
  std::lock_guard lock(g.mutex);
  if (fused->held) drop_hold(g, fused);
}

bool used_by_others(const buffer_record& record, std::span<const command_ptr> members) {
  std::lock_guard lock(the_graph().mutex);
  auto is_other = [&](const command_ptr& user) {
    return user && user->status != command::state::complete &&
           std::find(members.begin(), members.end(), user) == members.end();
  };
  return is_other(record.last_writer) || std::any_of(record.readers.begin(), record.readers.end(), is_other);
}

void wait_for(const command_ptr& awaited) {
  refuse_forked_child(the_graph());
  end_fusions_before(awaited, runner::caller);
  help_until(awaited, [&] { return awaited->status == command::state::complete; });
}

void wait_until_ready(const command_ptr& access) {
  end_fusions_before(access, runner::caller);
  help_until(access, [&] { return access->blockers == 0; });
}

bool is_complete(const command_ptr& queried) {
  std::lock_guard lock(the_graph().mutex);
  return queried->status == command::state::complete;
}

command::state state_of(const command_ptr& queried) {
  // Programs that poll must see progress.
  if (any_fused_held()) end_fusions_before(queried, runner::worker);
  std::lock_guard lock(the_graph().mutex);
  return queried->status;
}

std::vector<command_ptr> dependencies_of(const command_ptr& queried) {
  std::lock_guard lock(the_graph().mutex);
  return queried->dependencies;
}

void complete_host_access(const command_ptr& access) {
  graph& g = the_graph();
  if (g.forked) return;
  std::vector<shared<counted>> keep = std::move(access->keep);
  std::lock_guard lock(g.mutex);
  complete(g, *access);
}

std::vector<command_ptr> users_of(buffer_record& record) {
  std::lock_guard lock(the_graph().mutex);
  std::vector<command_ptr> users = record.readers;
  if (record.last_writer) users.push_back(record.last_writer);
  return users;
}

} // namespace sycl::detail
