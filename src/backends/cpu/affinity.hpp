#pragma once
/// SINTER_AFFINITY: workers of oneTBB stay on one processor each. Threads that call stay where the system puts them.

#include <sched.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <vector>

namespace sinter {

/// Processors the process may use, as it was when somebody first asked.
inline const std::vector<int>& usable_processors() {
  static const std::vector<int> processors = [] {
    std::vector<int> result;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof(all), &all) != 0) return result;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &all)) result.push_back(i);
    }
    return result;
  }();
  return processors;
}

/// Of the calling thread's own arena, or of another.
class worker_pinning final : public tbb::task_scheduler_observer {
public:
  worker_pinning() { start(); }
  explicit worker_pinning(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { start(); }
  ~worker_pinning() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    const std::vector<int>& processors = usable_processors();
    const int slot = tbb::this_task_arena::current_thread_index();
    if (!is_worker || slot < 0 || processors.empty()) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processors[static_cast<std::size_t>(slot) % processors.size()], &one);
    sched_setaffinity(0, sizeof(one), &one);
  }

private:
  void start() {
    usable_processors();  // before a worker that is pinned already could ask
    observe(true);
  }
};

}  // namespace sinter
