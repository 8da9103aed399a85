#include "fused_hold.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <scheduler/scheduler.hpp>
#include <thread>

namespace sycl::detail {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds longest_hold(200);

struct hold {
  command_ptr fused;
  std::vector<shared<buffer_record>> candidates;
  clock::time_point deadline;
};

/// Never destroyed: its thread lives as long as the process.
struct hold_registry {
  std::mutex mutex;  // protects what follows; never held while a command is released
  std::condition_variable changed;
  std::vector<hold> holds;
  bool started = false;
  std::atomic<std::size_t> count{0};

  static hold_registry& instance() {
    static auto* registry = new hold_registry;
    return *registry;
  }

  /// Under the mutex: takes out the holds for which `over` is true.
  template <class Over>
  std::vector<hold> take(Over over) {
    std::vector<hold> taken;
    std::erase_if(holds, [&](hold& each) {
      if (!over(each)) return false;
      taken.push_back(std::move(each));
      return true;
    });
    count = holds.size();
    return taken;
  }
};

void release(const std::vector<hold>& holds) {
  for (const hold& each : holds) release_fused(each.fused);
}

bool all_forgotten(const hold& each) {
  return std::all_of(each.candidates.begin(), each.candidates.end(),
                     [](const shared<buffer_record>& record) { return record->is_forgotten(); });
}

void watch_deadlines() {
  hold_registry& registry = hold_registry::instance();
  std::unique_lock lock(registry.mutex);
  for (;;) {
    registry.changed.wait(lock, [&] { return !registry.holds.empty(); });
    clock::time_point next = clock::time_point::max();
    for (const hold& each : registry.holds) next = std::min(next, each.deadline);
    registry.changed.wait_until(lock, next);
    const auto now = clock::now();
    const std::vector<hold> over = registry.take([&](const hold& each) { return each.deadline <= now; });
    lock.unlock();
    release(over);
    lock.lock();
  }
}

} // namespace

void hold_fused(const command_ptr& fused, std::vector<shared<buffer_record>> candidates) {
  hold_registry& registry = hold_registry::instance();
  {
    std::lock_guard lock(registry.mutex);
    registry.holds.push_back({fused, std::move(candidates), clock::now() + longest_hold});
    registry.count = registry.holds.size();
    if (!registry.started) {
      registry.started = true;
      std::thread(watch_deadlines).detach();
    }
    registry.changed.notify_one();
  }
  // What was forgotten between the decision and here has been noticed by nobody.
  notice_forgotten_buffer();
}

void notice_forgotten_buffer() {
  if (!any_fused_held()) return;
  hold_registry& registry = hold_registry::instance();
  std::vector<hold> over;
  {
    std::lock_guard lock(registry.mutex);
    over = registry.take(all_forgotten);
  }
  release(over);
}

bool any_fused_held() noexcept { return hold_registry::instance().count.load(std::memory_order_relaxed) != 0; }

void release_all_fused() {
  hold_registry& registry = hold_registry::instance();
  std::vector<hold> over;
  {
    std::lock_guard lock(registry.mutex);
    over = registry.take([](const hold&) { return true; });
  }
  release(over);
}

} // namespace sycl::detail
