#pragma once
/// Background work on one thread: filling the cache, and compiling code that no thread waits for. The end of the
/// program waits for this work.

#include <functional>

namespace sinter {

void run_in_background(std::function<void()> job);

/// Runs the job before all jobs that have not begun yet, because other processes may wait for its result.
void run_in_background_next(std::function<void()> job);

/// Called after each job: registers the wait for background work with exit() once more. A job may make LLVM create
/// static objects. exit() destroys these objects before it calls functions that were registered earlier, so the wait
/// has to be registered after the objects are made.
void wait_first_at_exit();

}  // namespace sinter
