#pragma once
/// SINTER_AFFINITY: worker threads stay on one processor each. Threads that call stay where the system puts them.

#include <sched.h>

#include <cstddef>
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

/// The calling thread, worker number `slot`, stays on one processor. Another thread has asked for usable_processors()
/// before.
inline void pin_worker(std::size_t slot) {
  const std::vector<int>& processors = usable_processors();
  if (processors.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processors[slot % processors.size()], &one);
  sched_setaffinity(0, sizeof(one), &one);
}

}  // namespace sinter
