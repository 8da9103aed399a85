#pragma once
/// The DAG of commands and the threads that run it. Simple on purpose: one mutex guards all edges and states.

#include <span>

#include <sycl/access.hpp>

#include "command.hpp"

namespace sycl::detail {

class buffer_record;

/// A use of a buffer by a command.
struct requirement {
  shared<buffer_record> record;
  access_mode mode;
};

/// Orders the command behind `dependencies` and conflicting users of its buffers; runs it when they are complete. A held
/// command waits for release_commands as well. Fusions whose commands it depends on are ended first.
void submit_command(const command_ptr& submitted, std::span<const command_ptr> dependencies,
                    std::span<const requirement> requirements);

/// Lets held commands run; `last` runs behind all of them.
void release_commands(std::span<const command_ptr> held, const command_ptr& last);
/// Puts `fused`, held, in place of held commands: it waits for what they wait for outside of their list, and they are
/// complete with it. `last` as above.
void replace_commands(std::span<const command_ptr> held, const command_ptr& fused, const command_ptr& last);
/// Lets a fused command run that was submitted held. Does nothing when it has been let go before.
void release_fused(const command_ptr& fused);
/// Whether a command that is not one of `members` still uses the record.
bool used_by_others(const buffer_record& record, std::span<const command_ptr> members);

/// Returns when the command is complete. The calling thread runs it, or what it waits for, where nobody has started yet.
void wait_for(const command_ptr& awaited);

bool is_complete(const command_ptr& queried);
/// Also lets go what is held back, for programs that poll.
command::state state_of(const command_ptr& queried);
std::vector<command_ptr> dependencies_of(const command_ptr& queried);

/// Completes a host access.
void complete_host_access(const command_ptr& access);
/// Waits for all that `access` depends on.
void wait_until_ready(const command_ptr& access);

/// Commands that still use the record.
std::vector<command_ptr> users_of(buffer_record& record);

/// Waits for every submitted command; what the end of the program does.
void drain_commands();

std::uint64_t now_nanoseconds() noexcept;

} // namespace sycl::detail
