#pragma once
/// The end of the program waits for all commands, whichever thread it comes from: the main thread, exit() in a static
/// object's destructor, exit() within a command. Functions that other parts call for this are in scheduler.hpp.

#include <functional>

namespace sycl::inline _V1::detail {

/// Submitted commands, host accesses left out, that are not complete (scheduler.cpp).
bool any_incomplete() noexcept;

/// Whether this process was forked from one whose threads had started: they don't exist here.
bool is_forked() noexcept;
/// Throws errc::runtime in a forked process: no further command completes there.
void refuse_forked();

/// A command that runs on this thread has called exit().
bool is_on_ending_thread() noexcept;
/// For such a thread: returns when the condition holds, or when no submitted command can run any more. A command that
/// runs for ever does not hold up the end.
void run_until(const std::function<bool()>& condition);

}  // namespace sycl::detail
