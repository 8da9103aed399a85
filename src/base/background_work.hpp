#pragma once
/// Background work on one thread: filling the cache, and compiling code that no thread waits for. The end of the
/// program waits for this work.

#include <functional>

namespace sinter {

void run_in_background(std::function<void()> job);

/// Runs the job before all jobs that have not begun yet, because other processes may wait for its result.
void run_in_background_next(std::function<void()> job);

/// Registers the wait for background work with exit() again, after each job. LLVM makes static objects while it works,
/// and exit() destroys the latest objects first. The wait must come before these objects are destroyed, so it has to be
/// registered after they were made.
void wait_first_at_exit();

}  // namespace sinter
