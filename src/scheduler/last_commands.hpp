#pragma once
/// The end of the program waits for all commands, whether the main thread returns from main, a static object's
/// destructor calls exit(), or a command calls exit(). scheduler.hpp has the functions that other folders call for this
/// purpose.

#include <functional>

namespace sycl::inline _V1::detail {

/// Whether a submitted command, other than host accesses, is not complete (defined in scheduler.cpp).
bool any_incomplete() noexcept;

/// Whether this process was forked from a process whose threads had started. A forked process doesn't have those
/// threads.
bool is_forked() noexcept;
/// Throws errc::runtime in a forked process, because no further command completes there.
void refuse_forked();

/// Whether a command that runs on this thread has called exit().
bool is_on_ending_thread() noexcept;
/// Called on a thread whose command has called exit(). Returns when the condition holds, or when nothing runs and no
/// submitted command can start any more. Returns after ten seconds in any case, because a command that runs for ever
/// must not prevent the end of the program.
void run_until(const std::function<bool()>& condition);

}  // namespace sycl::detail
