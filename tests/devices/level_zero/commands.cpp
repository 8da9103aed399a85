#include "commands.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_set>

#include "cl_core.hpp"
#include "judge.hpp"
#include "objects.hpp"

namespace judge {

struct command {
  std::function<void()> what;
  std::vector<use> uses;
  std::vector<std::shared_ptr<command>> before;  ///< commands that have to be complete before this one starts
  std::vector<command*> after;
  std::vector<event*> awaited;
  event* signalled = nullptr;
  command_list* list = nullptr;
  std::size_t missing = 0;  ///< number of commands in `before` that are not complete
  bool is_done = false;
  bool is_of_closed_list = false;
};

void refuse(const char* sentence) {
  std::fprintf(stderr, "level zero judge: %s\n", sentence);
  std::fflush(stderr);
  std::_Exit(86);
}

namespace {

constexpr unsigned workers = 3;
constexpr const char* freed_in_use = "memory is freed while a command uses it";

/// Freed memory that kernels may still access.
struct gone_memory {
  allocation its;
  std::vector<std::shared_ptr<command>> users;
};

/// The state of the driver. It is never destroyed, because threads use it while the process ends.
struct world {
  std::mutex mutex;
  std::condition_variable changed, has_work;
  std::vector<std::shared_ptr<command>> ready;
  std::map<const char*, allocation> memory;
  std::vector<gone_memory> gone;
  std::vector<command_list*> lists;
  std::mt19937 random{1};
  bool is_started = false;
};
world& common() {
  static auto* made = new world;
  return *made;
}

std::uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
}

struct sigaction before_ours;

void on_fault(int number, siginfo_t* fault, void* context) {
  const auto* const at = static_cast<const char*>(fault->si_addr);
  {
    std::lock_guard lock(common().mutex);
    for (const gone_memory& each : common().gone) {
      if (at >= each.its.begin && at < each.its.begin + whole_pages(each.its.bytes)) refuse(freed_in_use);
    }
  }
  if ((before_ours.sa_flags & SA_SIGINFO) != 0) return before_ours.sa_sigaction(number, fault, context);
  sigaction(SIGSEGV, &before_ours, nullptr);
}

/// Under the mutex.
void make_inaccessible(gone_memory&& added) {
  static const bool listens = [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    return sigaction(SIGSEGV, &action, &before_ours) == 0;
  }();
  if (!listens || mprotect(added.its.begin, whole_pages(added.its.bytes), PROT_NONE) != 0) {
    refuse("freed memory can't be made inaccessible");
  }
  common().gone.push_back(std::move(added));
}

/// Returns the freed memory that no pending command uses any more. Called under the mutex.
std::vector<char*> take_unused() {
  std::vector<char*> taken;
  std::erase_if(common().gone, [&](const gone_memory& each) {
    const auto is_done = [](const auto& user) { return user->is_done; };
    if (!std::all_of(each.users.begin(), each.users.end(), is_done)) return false;
    mprotect(each.its.begin, whole_pages(each.its.bytes), PROT_READ | PROT_WRITE);
    taken.push_back(each.its.begin);
    return true;
  });
  return taken;
}

/// Under the mutex.
void complete(const std::shared_ptr<command>& done) {
  world& all = common();
  done->is_done = true;
  for (command* each : done->after) {
    if (--each->missing != 0) continue;
    for (const auto& pending : each->list->pending) {
      if (pending.get() == each) all.ready.push_back(pending);
    }
    all.has_work.notify_one();
  }
  std::erase(done->list->pending, done);
  if (done->list->barrier == done) done->list->barrier = nullptr;
  done->before.clear();
  if (done->signalled) {
    done->signalled->its = event::state::signalled;
    done->signalled->by = nullptr;
  }
  all.changed.notify_all();
}

void work() {
  world& all = common();
  std::unique_lock lock(all.mutex);
  while (true) {
    all.has_work.wait(lock, [&] { return !all.ready.empty(); });
    const std::size_t place = all.random() % all.ready.size();
    std::swap(all.ready[place], all.ready.back());
    const std::shared_ptr<command> chosen = all.ready.back();
    all.ready.pop_back();
    const bool is_late = all.random() % 16 == 0;
    // The command no longer waits, so its awaited events may be reset.
    for (event* each : chosen->awaited) --each->waits;
    lock.unlock();
    if (is_late) std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::uint64_t start = device_ticks();
    // A lost device runs nothing. Programs end without waiting for the device, and OpenCL's driver ends with the
    // programs.
    if (chosen->what && !is_lost()) chosen->what();
    chosen->what = nullptr;
    const std::uint64_t end = device_ticks();
    lock.lock();
    if (chosen->signalled) {
      chosen->signalled->start = start;
      chosen->signalled->end = end;
    }
    complete(chosen);
  }
}

bool meet(const use& a, const use& b) {
  if (!a.writes && !b.writes) return false;
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

/// Finds the commands for which a command waits, directly or through other commands. Called under the mutex.
std::unordered_set<const command*> all_before(const command& from) {
  std::unordered_set<const command*> known;
  std::vector<const command*> open{&from};
  while (!open.empty()) {
    const command* const each = open.back();
    open.pop_back();
    for (const auto& before : each->before) {
      if (!before->is_done && known.insert(before.get()).second) open.push_back(before.get());
    }
  }
  return known;
}

/// Ends the process if two pending commands use the same memory and no dependency orders them. Called under the
/// mutex. Kernels of different lists may use the same allocation, because their arguments don't say which part
/// they access. Kernels of closed lists (graphs) may also use the same allocation, for the same reason.
void check_order(const command& added) {
  if (added.uses.empty()) return;
  const std::unordered_set<const command*> before = all_before(added);
  for (const command_list* list : common().lists) {
    for (const auto& each : list->pending) {
      if (each.get() == &added || before.contains(each.get())) continue;
      for (const use& a : added.uses) {
        for (const use& b : each->uses) {
          const bool is_known = list == added.list && !(added.is_of_closed_list && each->is_of_closed_list);
          if (!meet(a, b) || (!is_known && !(a.is_exact && b.is_exact))) continue;
          refuse(list == added.list ? "two commands of a list use the same memory, and nothing orders them"
                                    : "copies of two lists use the same memory, and nothing orders them");
        }
      }
    }
  }
}

/// Under the mutex.
void add_before(const std::shared_ptr<command>& added, const std::shared_ptr<command>& before) {
  if (!before || before->is_done) return;
  added->before.push_back(before);
  before->after.push_back(added.get());
  ++added->missing;
}

}  // namespace

/// Event counters restart at 0 two seconds after the driver's start.
std::uint64_t device_ticks() {
  static const std::uint64_t begin = now();
  constexpr std::uint64_t at_begin = (std::uint64_t{1} << event_ticks_bits) - 2 * ticks_a_second;
  const auto passed = static_cast<double>(now() - begin);
  return at_begin + static_cast<std::uint64_t>(passed * (static_cast<double>(ticks_a_second) / 1e9));
}

void add_allocation(const allocation& made) {
  std::lock_guard lock(common().mutex);
  common().memory[made.begin] = made;
}

namespace {

/// Under the mutex.
allocation find_allocation(const void* address) {
  const auto& memory = common().memory;
  auto found = memory.upper_bound(static_cast<const char*>(address));
  if (found == memory.begin()) return {};
  --found;
  const allocation& its = found->second;
  return static_cast<const char*>(address) < its.begin + its.bytes ? its : allocation{};
}

}  // namespace

allocation allocation_of(const void* address) {
  std::lock_guard lock(common().mutex);
  return find_allocation(address);
}

std::uint64_t allocated_bytes() {
  std::lock_guard lock(common().mutex);
  std::uint64_t bytes = 0;
  for (const auto& each : common().memory) bytes += each.second.bytes;
  return bytes;
}

void free_allocation(void* begin) {
  std::vector<char*> unused;
  {
    std::lock_guard lock(common().mutex);
    const allocation its = find_allocation(begin);
    if (its.bytes == 0 || its.begin != begin) refuse("memory is freed that the driver did not give");
    const use freed{its.begin, its.bytes, true, true};
    gone_memory kept{its, {}};
    for (const command_list* list : common().lists) {
      for (const auto& each : list->pending) {
        for (const use& used : each->uses) {
          if (!meet(freed, used)) continue;
          if (used.is_exact) refuse(freed_in_use);
          kept.users.push_back(each);
        }
      }
    }
    common().memory.erase(its.begin);
    unused = take_unused();
    if (kept.users.empty()) unused.push_back(its.begin);
    else make_inaccessible(std::move(kept));
  }
  // OpenCL's function waits until OpenCL's kernels are complete. One of these kernels may need the mutex, so this
  // thread does not hold it.
  for (char* each : unused) find_core()->free(find_core()->context, each);
}

namespace {

/// Under the mutex.
std::shared_ptr<command> hand_over(command_list& list, std::function<void()> what, std::vector<use> uses,
                                   event* signalled, const std::vector<event*>& awaited, bool is_barrier,
                                   bool is_of_closed_list, const std::vector<std::shared_ptr<command>>& before = {}) {
  world& all = common();
  // With TEST_ZE_RUN=0, no work runs, so that one can measure the time of programs and of Sinter without the driver's
  // time.
  static const bool runs = layer("TEST_ZE_RUN", 1) != 0;
  if (!runs) {
    if (signalled) signalled->its = event::state::signalled;
    return nullptr;
  }
  if (!all.is_started) {
    all.is_started = true;
    for (unsigned i = 0; i < workers; ++i) std::thread(work).detach();
  }
  if (std::find(all.lists.begin(), all.lists.end(), &list) == all.lists.end()) all.lists.push_back(&list);
  auto added = std::make_shared<command>();
  added->what = std::move(what);
  added->uses = std::move(uses);
  added->list = &list;
  added->is_of_closed_list = is_of_closed_list;
  for (event* each : awaited) {
    if (each->its == event::state::reset) refuse("a command waits for an event that nothing signals");
    ++each->waits;
    added->awaited.push_back(each);
    add_before(added, each->by);
  }
  for (const auto& each : before) add_before(added, each);
  add_before(added, list.barrier);
  if (list.in_order && !is_of_closed_list) {
    for (const auto& each : list.pending) add_before(added, each);
  }
  if (is_barrier) {
    // A barrier that names events waits only for these events. Other barriers wait for all pending commands.
    for (const auto& each : list.pending) {
      if (awaited.empty()) add_before(added, each);
    }
    list.barrier = added;
  }
  if (signalled) {
    if (signalled->its != event::state::reset) refuse("a command signals an event that was not reset");
    if (signalled->waits != 0) refuse("a command signals an event that others still wait for");
    signalled->its = event::state::promised;
    signalled->by = added;
    added->signalled = signalled;
  }
  check_order(*added);
  list.pending.push_back(added);
  if (added->missing == 0) {
    all.ready.push_back(added);
    all.has_work.notify_one();
  }
  return added;
}

std::vector<event*> events_of(std::uint32_t count, ze_event_handle_t* events) {
  std::vector<event*> result;
  for (std::uint32_t i = 0; i < count; ++i) result.push_back(reinterpret_cast<event*>(events[i]));
  return result;
}

/// Under the mutex.
bool is_running(const command_list& list) {
  return std::any_of(list.running.begin(), list.running.end(), [](const std::weak_ptr<command>& each) {
    const auto its = each.lock();
    return its && !its->is_done;
  });
}

}  // namespace

void append(command_list& list, std::function<void()> what, std::vector<use> uses, event* signalled,
            std::uint32_t count, ze_event_handle_t* awaited, bool is_barrier) {
  std::lock_guard lock(common().mutex);
  if (!list.is_immediate) {
    if (list.is_closed) refuse("a command is appended to a list that is closed");
    list.next_number = 0;
    list.recorded.push_back({std::move(what), std::move(uses), signalled, events_of(count, awaited), is_barrier});
    return;
  }
  hand_over(list, std::move(what), std::move(uses), signalled, events_of(count, awaited), is_barrier, false);
}

void append_launch(command_list& list, std::shared_ptr<bound_kernel> launch, std::vector<use> uses, event* signalled,
                   std::uint32_t count, ze_event_handle_t* awaited) {
  const std::uint64_t number = list.next_number;
  append(list, [launch] { run(*launch); }, std::move(uses), signalled, count, awaited);
  if (list.is_immediate) return;
  list.recorded.back().launch = std::move(launch);
  list.recorded.back().number = number;
}

void check_idle(const command_list& list, const char* sentence) {
  std::lock_guard lock(common().mutex);
  if (is_running(list)) refuse(sentence);
}

void execute(command_list& to, command_list& closed, event* signalled, std::uint32_t count,
             ze_event_handle_t* awaited) {
  std::lock_guard lock(common().mutex);
  if (closed.is_immediate || !closed.is_closed) refuse("a list is executed that is not closed");
  if (is_running(closed)) refuse("a list is executed while it runs");
  if (to.only_copies != closed.only_copies) refuse("a list is executed by a queue of another kind");
  if (count != 0) hand_over(to, nullptr, {}, nullptr, events_of(count, awaited), /*is_barrier=*/true, false);
  // The closed list as a whole waits for the commands before it, but its commands are not ordered among themselves.
  if (to.in_order) hand_over(to, nullptr, {}, nullptr, {}, /*is_barrier=*/true, false);
  std::vector<std::shared_ptr<command>> all;
  for (const recorded_command& each : closed.recorded) {
    all.push_back(hand_over(to, each.what, each.uses, each.signalled, each.awaited, each.is_barrier, true));
  }
  closed.running.assign(all.begin(), all.end());
  if (signalled) hand_over(to, nullptr, {}, signalled, {}, /*is_barrier=*/false, false, all);
  // Commands after the closed list don't wait for its barriers.
  to.barrier = nullptr;
}

void destroy(command_list& list) {
  std::lock_guard lock(common().mutex);
  if (!list.pending.empty() || is_running(list)) refuse("a list of commands is destroyed while they run");
  std::erase(common().lists, &list);
}

void destroy(event& each) {
  std::lock_guard lock(common().mutex);
  if (each.waits != 0) refuse("an event is destroyed while somebody has to wait for it");
  if (each.its == event::state::promised) refuse("an event is destroyed before it is signalled");
  each.pool->is_used[each.index] = 0;
}

void reset(event& each) {
  std::lock_guard lock(common().mutex);
  if (each.waits != 0) refuse("an event is reset while somebody has to wait for it");
  if (each.its == event::state::promised) refuse("an event is reset before it is signalled");
  each.its = event::state::reset;
}

void signal(event& each) {
  std::lock_guard lock(common().mutex);
  if (each.its == event::state::promised) refuse("the host signals an event that a command will signal");
  each.its = event::state::signalled;
  common().changed.notify_all();
}

bool is_signalled(event& each) {
  std::lock_guard lock(common().mutex);
  return each.its == event::state::signalled;
}

bool wait(event& each, std::uint64_t nanoseconds) {
  world& all = common();
  std::unique_lock lock(all.mutex);
  constexpr std::uint64_t for_ever = ~std::uint64_t{0};
  if (each.its == event::state::reset && nanoseconds == for_ever) {
    refuse("a thread waits for an event that nothing signals");
  }
  ++each.waits;
  const auto is_over = [&] { return each.its == event::state::signalled; };
  constexpr std::uint64_t longest = 3600000000000u;
  const bool is_signalled =
      all.changed.wait_for(lock, std::chrono::nanoseconds(std::min(nanoseconds, longest)), is_over);
  --each.waits;
  return is_signalled;
}

}  // namespace judge
