#include "driver_end.hpp"

#include <unistd.h>

#include <atomic>
#include <base/program_end.hpp>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace sinter {
namespace {

/// The data of this file. The object is never destroyed, because other threads may use the object while the program
/// ends.
struct driver_end {
  std::shared_mutex uses;  ///< locked in shared mode while drivers must not end
  std::mutex mutex;        // protects the members below
  struct entry {
    void** function;
    void* closed;
  };
  std::vector<entry> entries;
  std::atomic<bool> has_come{false};
  std::atomic<pid_t> thread{0};  ///< the thread that called exit()
  const pid_t process = getpid();

  static driver_end& instance() {
    static auto* end = new driver_end;
    return *end;
  }

  /// exit() calls this function as often as it was registered, but only the first call has an effect. The first call
  /// closes all drivers together, because commands of one driver may wait for commands of another driver.
  static void come() {
    driver_end& end = instance();
    // In a forked process, the function does nothing. A forked process has only one thread, and the parent's other
    // threads may have held locks during the fork.
    if (end.has_come || end.process != getpid()) return;
    settle_before_driver_ends();
    std::unique_lock no_uses(end.uses, std::defer_lock);
    if (!is_in_driver_code()) no_uses.lock();
    std::lock_guard lock(end.mutex);
    end.thread = gettid();
    end.has_come = true;
    // Other threads may be about to call the drivers' functions. Each pointer to such a function is therefore replaced
    // by a pointer to a function that returns an error.
    for (const entry& each : end.entries) __atomic_store_n(each.function, each.closed, __ATOMIC_RELEASE);
  }
};

}  // namespace

bool drivers_have_ended() noexcept { return driver_end::instance().has_come; }

void let_program_end() {
  constexpr std::chrono::seconds long_enough(2);
  if (driver_end::instance().thread != gettid()) std::this_thread::sleep_for(long_enough);
}

void note_driver_use() {
  if (!drivers_have_ended()) std::atexit(driver_end::come);
}

void close_at_end(void** function, void* closed) {
  driver_end& end = driver_end::instance();
  std::lock_guard lock(end.mutex);
  end.entries.push_back({function, closed});
  if (end.has_come) *function = closed;
}

driver_use::driver_use() { driver_end::instance().uses.lock_shared(); }
driver_use::~driver_use() {
  driver_end::instance().uses.unlock_shared();
  note_driver_use();
}

}  // namespace sinter
