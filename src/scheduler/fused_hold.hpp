#pragma once
/// Holds a fused command back for a moment: temporaries that go out of scope meanwhile need no memory, and the host
/// thread that mostly waits next runs the command itself.
///
/// The hold ends when anything waits for the command, asks for its state or depends on it, and in any case soon. The
/// hold does not end with the last candidate: waking a thread then costs more than waiting for the host thread that
/// mostly comes next.

#include "command.hpp"
#include "command_list.hpp"

namespace sycl::inline _V1::detail {

/// Makes an automatic list end soon, whether a thread waits for it or not.
void hold_list(const shared<command_list>& list);
/// Called when a command was submitted that is held back.
void hold_fused(const command_ptr& fused);
void release_all_fused();

} // namespace sycl::detail
