#pragma once
/// Holds a fused command back for a moment. If the command runs only after temporary buffers have gone out of scope,
/// these buffers need no memory. The host thread usually waits next, and then runs the command itself.
///
/// The hold ends when a thread waits for the command or queries its state, when another command depends on it, or after
/// 200 microseconds. The end of the last temporary buffer does not end the hold, because another thread would have to
/// be woken to run the command, and waking costs more than waiting for the host thread.

#include "command.hpp"
#include "command_list.hpp"

namespace sycl::inline _V1::detail {

/// Makes an automatic list end soon, even if no thread waits for it.
void hold_list(const shared<command_list>& list);
/// Called after a fused command that is held back was submitted.
void hold_fused(const command_ptr& fused);
void release_all_fused();

} // namespace sycl::detail
