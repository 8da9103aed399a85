#include "last_commands.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <base/program_end.hpp>
#include <base/running.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sycl/exception.hpp>

#include "attendant.hpp"
#include "command_list.hpp"
#include "fused_hold.hpp"
#include "scheduler.hpp"
#include "test_hooks.hpp"
#include "worker_pool.hpp"

namespace sycl::inline _V1::detail {
namespace {

std::atomic<bool> forked{false};

/// Whether a command has called exit().
std::atomic<bool> command_ends_program{false};
/// Whether this thread has called exit().
constinit thread_local bool is_thread_of_end = false;

/// Ends the program from within a command that has called exit(). First lets all commands complete that do not wait for
/// this command.
void end_from_within() {
  if (is_on_ending_thread()) return;
  // Only one thread ends the program; all other threads that call exit() in a command wait here for ever.
  while (command_ends_program.exchange(true)) pause();
  is_thread_of_end = true;
  end_collecting();
  run_until([] { return false; });
  finish_background_work();
}

/// Ends the program when code of a driver has called exit(). This function does not wait for commands, because the
/// driver may hold locks that commands need.
void end_from_driver() {
  if (is_on_ending_thread()) return;
  while (command_ends_program.exchange(true)) pause();
  is_thread_of_end = true;
  std::fputs("sinter: a device's driver ends the program while it compiles or loads a kernel; commands that have not "
             "run are lost\n", stderr);
}

/// Not inlined, so that submissions that are not slowed down need no stack for it.
[[gnu::noinline]] void sleep_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

/// An object of this class exists while exit() waits for all commands. During this time, threads that continue to
/// submit are held up, because the wait would never end otherwise. Each submission is held up only for a limited time,
/// because commands may wait for the submitting thread.
class end_scope {
public:
  end_scope() noexcept {
    ++m_count;
    m_is_here = true;
  }
  end_scope(const end_scope&) = delete;
  ~end_scope() {
    m_is_here = false;
    --m_count;
  }

  static bool any() noexcept { return m_count.load(std::memory_order_relaxed) != 0; }
  [[gnu::noinline]] static void hold_up() {
    if (!any() || m_is_here || running_scope::current()) return;
    constexpr auto longest = std::chrono::seconds(1);
    for (const auto start = std::chrono::steady_clock::now();
         m_count.load() != 0 && std::chrono::steady_clock::now() - start < longest;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

private:
  static inline std::atomic<int> m_count{0};
  static constinit inline thread_local bool m_is_here = false;
};

/// The destructor runs at the end of the main thread, before all functions that exit() calls, and waits for commands.
/// A function registered by atexit would wait too late: the JIT's libraries make static objects while they work, and
/// exit() destroys those objects before it calls any function that was registered earlier.
struct main_thread_end {
  ~main_thread_end() {
    sinter::note_main_thread_end();
    drain_commands();
    // At this point the drivers can still be used.
    if (!is_forked()) sinter::bring_contents_home();
  }
};

}  // namespace

bool is_forked() noexcept { return forked.load(); }

bool is_on_ending_thread() noexcept { return command_ends_program.load(std::memory_order_relaxed) && is_thread_of_end; }

void run_until(const std::function<bool()>& condition) {
  constexpr auto between_looks = std::chrono::microseconds(50);
  constexpr int quiet_looks = 20;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int quiet = 0; quiet < quiet_looks && !condition() && std::chrono::steady_clock::now() < patience; ++quiet) {
    for (const shared<command_stream>& each : attendant::instance().streams()) {
      if (each->is_idle() || each->is_owned()) continue;
      each->hurry();
      quiet = 0;
    }
    // The pool is checked first and the running threads second, so that the second check finds a thread that has taken
    // work from the pool in between.
    if (!worker_pool::instance().is_empty() || running_scope::others_run(running_scope::current())) quiet = 0;
    std::this_thread::sleep_for(between_looks);
  }
}

void refuse_forked() {
  if (!forked.load(std::memory_order_relaxed)) return;
  detail::throw_error(errc::runtime,
                      "this process was forked from one that had started Sinter, whose threads don't exist here; fork "
                      "before using SYCL, or exec");
}

void start_scheduler() {
  // Other threads than the main thread make no main_thread_end, because making it takes the loader's lock
  // (base/per_thread.hpp).
  static constinit thread_local bool known = false;
  if (!known) {
    known = true;
    if (gettid() == getpid()) {
      static thread_local const main_thread_end waits_first;
      (void)waits_first;
    }
  }
  static const int started = [] {
    pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
    sinter::serve_commands({drain_commands, end_collecting, commands_will_end});
    sinter::watch_exit();
    return std::atexit(drain_commands);
  }();
  (void)started;
  refuse_forked();
}

void end_collecting() {
  command_list::end_all();
  release_all_fused();
}

bool commands_will_end() noexcept { return !forked.load() && !command_ends_program.load(); }

void drain_commands() {
  if (forked.load()) return;
  if (sinter::is_in_driver_code()) return end_from_driver();
  if (running_scope::current()) return end_from_within();
  const end_scope ends;
  end_collecting();
  // The waits are repeated because commands may submit other commands. This function does not wait for host accesses: a
  // host access ends with its accessor, which may be a static object.
  for (bool idle = false; !idle;) {
    idle = !any_incomplete();
    if (!idle) sleep_a_little();
    // Other threads run the commands, because this thread's thread_local objects may be destroyed already.
    for (const shared<command_stream>& each : attendant::instance().streams()) {
      if (each->is_idle()) continue;
      each->hurry();
      idle = false;
    }
  }
  finish_background_work();
}

void finish_background_work() { sinter::finish_background_work(); }

void slow_down(std::uint64_t ahead) {
  constexpr std::uint64_t far_ahead = 8192;
  if (ahead <= far_ahead && !end_scope::any()) [[likely]] return;
  end_scope::hold_up();
  if (ahead > far_ahead) sleep_a_little();
}

}  // namespace sycl::detail
