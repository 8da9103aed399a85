#pragma once
/// Background work on one thread: filling the cache, and compiling code that no thread waits for. The end of the
/// program waits for it.

#include <functional>

namespace sinter {

void run_in_background(std::function<void()> job);

/// Runs the job before all jobs that have not begun, because other processes may wait for it.
void run_in_background_next(std::function<void()> job);

/// LLVM makes static objects while it works, and the program destroys the latest first: the wait has to be registered
/// after them, each time anew.
void wait_first_at_exit();

}  // namespace sinter
