#pragma once
/// The DAG of commands: it adds and removes edges, and starts commands when their dependencies are complete.
///
/// There is no global lock. Each command has a mutex for its edges (command.hpp), each buffer for its users, each
/// in-order queue for its order (submission_queue::m_order), and each list of the pool for its work. A submission locks
/// the order of its queue, then its buffers by address, and holds these locks until its edges are made. If two
/// submissions share several queues or buffers, one of the two submissions is therefore first everywhere, so that edges
/// never form a circle. Mutexes are locked in this order: fusion list, order of a queue, growth of lists, buffers,
/// fusion mutex, device channel, command, stream, attendant, pool.
///
/// A device that works by itself gets a command before the command's dependencies are complete, if these dependencies
/// were handed over to devices of the same family: these devices keep the order without the host (device_channel.hpp).
/// All other dependencies have to be complete first. If a buffer's contents are in another memory than the one in which
/// a command needs them, the submission makes a separate command, a transfer, that copies them.
///
/// A fusion list is one command in the DAG. While the list collects kernels, this command gets the dependencies of the
/// kernels. Other lists that the user started may wait for this command. Lists must not wait for each other in a
/// circle. Therefore, before a list gets a new dependency, the scheduler checks that this dependency does not wait for
/// the list, directly or indirectly. Only one list grows at a time, so that this check sees all dependencies. If any
/// other command needs a kernel of the list, the submission of this command ends the list first. A host thread that
/// waits for a command ends all lists on which the command depends. The thread also releases all fused commands that
/// are held back and on which the command depends.

#include <span>

#include "command.hpp"
#include "command_list.hpp"
#include "command_stream.hpp"
#include "memory_users.hpp"

namespace sycl::inline _V1::detail {

/// Submits a command. The command runs when `previous`, `dependencies` and all conflicting users of its buffers are
/// complete, and nothing holds it back any more. For an in-order queue, callers hold submission_queue::m_order. If the
/// command would have to wait for a kernel that a list still collects, the function only returns this list. The caller
/// then ends the list, without locks, and tries again.
[[nodiscard]] shared<command_list> submit_command(const command_ptr& submitted, const dependency& previous,
                                                 std::span<const dependency> dependencies,
                                                 std::span<const requirement> requirements);
/// Called after submit_command, without locks: releases dependencies that are held back.
void release_before(const command_ptr& submitted);

/// Finds a list that still collects, other than `own`, among the direct and indirect dependencies. Returns null if
/// there is none.
shared<command_list> collecting_list(std::span<const dependency> dependencies, const command_list* own = nullptr);
/// If the command represents kernels that a list still collects, ends this list. Returns false if there is no such
/// list.
bool end_fusion_of(const command& wanted);

/// A kernel that a list holds for fusion. The kernel is not in the DAG: there, the list's command represents the
/// kernel.
struct collected_kernel {
  std::vector<requirement> requirements;
  std::vector<dependency> before;  ///< dependencies; the list's own command stands for all earlier kernels of the list
  /// Kernels with this flag keep their order if they run one by one, because it is not known whether their pointers
  /// point to the same memory.
  bool in_order = false;
};
/// The reason why a list cannot grow: another list has to end first (`list`), or the list would wait for itself
/// (`is_circle`).
struct obstacle {
  shared<command_list> list;
  bool is_circle = false;
};
/// Adds a kernel to a list whose command `list` was submitted and is held. The kernel's dependencies are noted in its
/// details and become dependencies of the list's command. If there is an obstacle, the function returns the obstacle
/// and changes nothing.
[[nodiscard]] obstacle extend_command(const command_ptr& list, collected_kernel& kernel);
/// Called when a list has ended and is not fused: submits its kernels one by one. In this case, the command `list` does
/// no work, and becomes complete after all kernels.
void submit_collected(std::span<const command_ptr> kernels, std::span<const collected_kernel> details,
                      const command_ptr& list, bool in_order);
/// Called when a list has ended and is fused: the command `list` runs all kernels of the list, and is held back for a
/// moment. The commands `events` are complete when `list` is complete.
void submit_fused(std::span<const command_ptr> events, const command_ptr& list);
/// Releases a fused command that was held back. Does nothing if the command was released before.
void release_fused(const command_ptr& fused);

/// Called when a device has completed the command.
void finish_on_device(const command_ptr& complete);

/// Runs a command that the calling thread has claimed. Then the thread runs one of the commands that became ready;
/// worker threads run the others.
void run_claimed(command_ptr claimed);
/// Drops one blocker of each command: a blocker is a reason why the command can't start yet. Commands without blockers
/// are ready and go to the pool.
void drop_blockers(std::span<const command_ptr> blocked);

/// Returns when the dependency is complete. The calling thread runs the awaited command and its dependencies, unless
/// other threads have started them.
void wait_for(const dependency& awaited);
/// Ends the automatic lists and releases the held commands on which `wanted` depends. Fusions that the user has started
/// go on.
void let_go_for_others(const command_ptr& wanted);
/// Ends the fusions that hold the command back, so that it starts although no thread waits for it. Commands that
/// nothing holds back start by themselves.
void start_soon(const dependency& wanted);
/// Returns the state of a command. Programs poll with this function, so it releases commands that are held back.
command::state state_of(const dependency& queried);

/// Submits a host access. Ends the fusions that the access would have to wait for.
void submit_host_access(const command_ptr& access, const requirement& needed);
/// Completes a host access.
void complete_host_access(const command_ptr& access);
/// Waits for all dependencies of `access`.
void wait_until_ready(const command_ptr& access);

/// Keeps an object alive until all commands in `users` are complete. The function does not wait for these commands, and
/// does not make them run earlier.
void keep_until_complete(shared<counted> kept, std::span<const dependency> users);

/// Throws errc::runtime in a process that was forked after the runtime started. Arranges that the end of the program
/// waits for all commands.
void start_scheduler();
/// Waits for every submitted command, at the end of the program. On a thread that runs a command, waits only for the
/// commands that can still run.
void drain_commands();
/// Ends all fusion lists and releases held commands, so that all of them run.
void end_collecting();
/// Whether every submitted command will complete at some time. In a forked process, or after a command has called
/// exit(), some commands never complete.
bool commands_will_end() noexcept;

/// Called by a thread whose queue has `ahead` incomplete commands. If there are very many such commands, the thread
/// sleeps a little, so that memory stays bounded. The thread never waits for commands, because running commands may
/// wait for this thread's next action.
void slow_down(std::uint64_t ahead);

std::uint64_t now_nanoseconds() noexcept;

}  // namespace sycl::detail
