#pragma once
/// Says which processors the process may use, and on which of them Sinter's threads run. Sinter sets the processors of
/// each thread that it starts: otherwise the new thread would inherit them from the thread that starts it, which the
/// program may have bound to a single processor.

#include <sched.h>

#include <cstddef>
#include <vector>

namespace sinter {

/// The processors that this process could use at the first call. Sinter's threads may read this list until the process
/// has ended.
inline const std::vector<int>& usable_processors() {
  static const auto* processors = new std::vector<int>([] {
    std::vector<int> result;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof(all), &all) != 0) return result;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &all)) result.push_back(i);
    }
    return result;
  }());
  return *processors;
}

/// Lets the calling thread, which is one of Sinter's, run on all usable processors except `left_out`; -1: on all.
/// usable_processors() must have been called before, by another thread. If the change fails, for example because the
/// usable processors are not known, nothing changes.
inline bool use_processors_without(int left_out) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int each : usable_processors()) {
    if (each != left_out) CPU_SET(each, &set);
  }
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}
inline void use_all_processors() { use_processors_without(-1); }

/// Moves the calling thread, which is one of Sinter's, from processor `left` to another processor, if there is another
/// one. usable_processors() must have been called before, by another thread.
inline void leave_processor(int left) {
  if (use_processors_without(left)) use_all_processors();
}

/// SINTER_AFFINITY: the calling thread, worker number `slot`, stays on one of the usable processors.
/// usable_processors() must have been called before, by another thread.
inline void pin_worker(std::size_t slot) {
  const std::vector<int>& processors = usable_processors();
  if (processors.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processors[slot % processors.size()], &one);
  sched_setaffinity(0, sizeof(one), &one);
}

}  // namespace sinter
