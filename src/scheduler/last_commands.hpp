#pragma once
/// The end of the program waits for all commands, whichever thread it comes from: the main thread, exit() in a static
/// object's destructor, exit() within a command. Functions that other parts call for this are in scheduler.hpp.

#include <functional>

namespace sycl::inline _V1::detail {

/// The number of submitted commands, without host accesses, that are not complete (scheduler.cpp).
bool any_incomplete() noexcept;

/// Whether this process was forked from a process whose threads had started. A forked process doesn't have those
/// threads.
bool is_forked() noexcept;
/// Throws errc::runtime in a forked process: no further command completes there.
void refuse_forked();

/// Whether a command that runs on this thread has called exit().
bool is_on_ending_thread() noexcept;
/// Called by a thread whose command has called exit(). Returns when the condition holds, or when no submitted command
/// can run any more. A command that
/// runs for ever does not keep the program from ending.
void run_until(const std::function<bool()>& condition);

}  // namespace sycl::detail
