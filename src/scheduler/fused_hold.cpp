#include "fused_hold.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler.hpp"

namespace sycl::inline _V1::detail {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds longest_hold(200);
// The thread that watches the deadlines goes to sleep when it has found no hold this many times in a row. The thread
// stays awake that long, because a thread that submits commands would lose time by waking it.
constexpr int looks_in_vain = 64;

/// A fused command or an automatic list that is held back until a deadline.
struct hold {
  command_ptr fused;
  shared<command_list> list;
  clock::time_point deadline;

  bool is_over() const noexcept { return fused ? fused->is_complete() : !list->is_active(); }
  void end() const {
    if (is_over()) return;
    if (fused) release_fused(fused);
    if (list) list->end_early(list_end::window);
  }
};

/// The registry is never destroyed, because its thread runs as long as the process.
struct hold_registry {
  std::mutex mutex;  // protects the members below; never held while a command is released
  std::condition_variable changed;
  std::vector<hold> holds;
  bool started = false;
  bool asleep = false;

  static hold_registry& instance() {
    static auto* registry = new (sinter::lasting) hold_registry;
    return *registry;
  }

  /// Removes and returns the holds whose deadline has passed at `now`. Called under the mutex.
  std::vector<hold> take(clock::time_point now) {
    std::vector<hold> taken;
    std::erase_if(holds, [&](hold& each) {
      if (each.deadline > now) return false;
      taken.push_back(std::move(each));
      return true;
    });
    return taken;
  }
};

void watch_deadlines() {
  hold_registry& registry = hold_registry::instance();
  std::unique_lock lock(registry.mutex);
  for (int looks = 0;;) {
    if (registry.holds.empty() && ++looks > looks_in_vain) {
      registry.asleep = true;
      registry.changed.wait(lock, [&] { return !registry.holds.empty(); });
      registry.asleep = false;
    }
    if (!registry.holds.empty()) looks = 0;
    lock.unlock();
    std::this_thread::sleep_for(longest_hold / 2);
    lock.lock();
    const std::vector<hold> over = registry.take(clock::now());
    lock.unlock();
    for (const hold& each : over) each.end();
    lock.lock();
  }
}

void add_hold(const command_ptr& fused, const shared<command_list>& list) {
  hold_registry& registry = hold_registry::instance();
  // If an old hold is over, the new hold replaces it. This thread destroys the old hold after it has released the lock.
  // Otherwise the thread that watches the deadlines would have to destroy the old hold later.
  hold added{fused, list, clock::now() + longest_hold};
  std::lock_guard lock(registry.mutex);
  const auto over =
      std::find_if(registry.holds.begin(), registry.holds.end(), [](const hold& each) { return each.is_over(); });
  if (over == registry.holds.end()) {
    registry.holds.push_back(std::move(added));
  } else {
    std::swap(*over, added);
  }
  if (!registry.started) {
    registry.started = true;
    std::thread(watch_deadlines).detach();
  }
  if (registry.asleep) registry.changed.notify_one();
}

} // namespace

void hold_fused(const command_ptr& fused) { add_hold(fused, nullptr); }
void hold_list(const shared<command_list>& list) { add_hold(nullptr, list); }

void release_all_fused() {
  hold_registry& registry = hold_registry::instance();
  std::vector<hold> over;
  {
    std::lock_guard lock(registry.mutex);
    over = registry.take(clock::time_point::max());
  }
  for (const hold& each : over) each.end();
}

} // namespace sycl::detail
