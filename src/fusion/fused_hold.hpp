#pragma once
/// Holds a fused command back for a moment: temporaries that go out of scope meanwhile need no memory.
///
/// The hold ends when all candidates are gone, when anything waits for the command, asks for its state or depends on it, and
/// in any case after a time that is short against what a launch takes.

#include <memory/buffer_record.hpp>
#include <scheduler/command.hpp>
#include <vector>

namespace sycl::detail {

/// The command was submitted held.
void hold_fused(const command_ptr& fused, std::vector<shared<buffer_record>> candidates);
/// A buffer has lost its last handle.
void notice_forgotten_buffer();
bool any_fused_held() noexcept;
void release_all_fused();

} // namespace sycl::detail
