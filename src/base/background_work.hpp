#pragma once
/// Background work on one thread: filling the cache, and compiling code that no thread waits for. The end of the
/// program waits for this work.

#include <functional>

namespace sinter {

void run_in_background(std::function<void()> job);

/// Runs the job before all jobs that have not begun, because other processes may wait for it.
void run_in_background_next(std::function<void()> job);

/// LLVM makes static objects while it works, and a program destroys the latest objects first. So the wait is registered
/// again after each job, because it must come before these objects are destroyed.
void wait_first_at_exit();

}  // namespace sinter
