#pragma once
/// The DAG of commands: how edges come and go, and who waits for what.
///
/// There is no lock for all. Each command protects its edges (command.hpp), each buffer its users, each in-order queue
/// its order (queue_impl::order), each list of the pool its work. A submission locks the order of its queue, then its
/// buffers by address, until its edges are made: two submissions that share any of them happen one after the other for
/// all of them, so that no circle of edges can come to be. Mutexes are taken in this order: fusion list, order of a
/// queue, buffers, fusion mutex, command, lane, attendant, pool.

#include <span>

#include <sycl/access.hpp>

#include "command.hpp"
#include "lane.hpp"

namespace sycl::detail {

class buffer_record;
struct requirement;

/// Orders the command behind `previous`, `dependencies` and conflicting users of its buffers; runs it when they are
/// complete, and when it is not held any more. Callers hold the order of an in-order queue.
void submit_command(const command_ptr& submitted, const dependency& previous, std::span<const dependency> dependencies,
                    std::span<const requirement> requirements);
/// Behind submit_command, with no lock held: fusions whose commands it depends on are ended. `named`: what it depends on by
/// event, for the warning.
void end_fusions_for(const command_ptr& submitted, std::span<const dependency> named = {}, bool is_collected = false);

/// Lets held commands run; `last` runs behind all of them.
void release_commands(std::span<const command_ptr> held, const command_ptr& last);
/// Puts `fused`, held, in place of held commands: it waits for what they wait for outside of their list, and they are
/// complete with it. `last` as above. False, and nothing done, when they wait for something that waits for one of them.
[[nodiscard]] bool replace_commands(std::span<const command_ptr> held, const command_ptr& fused, const command_ptr& last);
/// Lets a fused command run that was submitted held. Does nothing when it has been let go before.
void release_fused(const command_ptr& fused);

/// Runs a command that the calling thread has claimed. Worker threads go on with what became ready.
void run_claimed(command_ptr claimed);
/// Drops one blocker of each; those that are ready go to the pool.
void drop_blockers(std::span<const command_ptr> blocked);

/// Returns when it is complete. The calling thread runs it, or what it waits for, where nobody has started yet.
void wait_for(const dependency& awaited);
/// Ends the fusions that hold it back; everything else starts by itself.
void start_soon(const dependency& wanted);
/// Also lets go what is held back, for programs that poll.
command::state state_of(const dependency& queried);

/// Completes a host access.
void complete_host_access(const command_ptr& access);
/// Waits for all that `access` depends on.
void wait_until_ready(const command_ptr& access);

/// errc::runtime in a child that was forked after the start. Arranges that the end of the program waits for all
/// commands.
void start_scheduler();
/// Waits for every submitted command; what the end of the program does.
void drain_commands();
/// What it waits for in the end: work that commands leave behind.
void drain_at_last(void (*wait)());

/// For a thread that has submitted `ahead` commands that are not complete: sleeps a little when they are very many, so
/// that memory stays bounded. It never blocks: what runs may be waiting for something the thread does next.
void slow_down(std::uint64_t ahead);

std::uint64_t now_nanoseconds() noexcept;

}  // namespace sycl::detail
