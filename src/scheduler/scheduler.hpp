#pragma once
/// The DAG of commands: how edges come and go, and who waits for whom.
///
/// There is no lock for all. Each command protects its edges (command.hpp), each buffer its users, each in-order queue
/// its order (submission_queue::m_order), each list of the pool its work. A submission locks the order of its queue,
/// then its buffers by address, until its edges are made. If two submissions share any of them, one comes before the
/// other everywhere, so that edges never form a circle. Mutexes are taken in this order: fusion list, order of a queue,
/// growth of lists, buffers, fusion mutex, device channel, command, stream, attendant, pool.
///
/// Commands of devices that work by themselves are handed over as soon as all they wait for is complete, or handed over
/// to devices of the same family, which keep the order without the host (device_channel.hpp). If a command needs
/// contents of buffers that are elsewhere, separate commands (transfers), made when the command is submitted, bring
/// these contents.
///
/// A fusion list is one command, which gathers the dependencies of its kernels as long as it collects. Other lists that
/// the user started may wait for it meanwhile. Lists grow one at a time, and before a list gets a new dependency, the
/// dependency's own dependencies are searched for the list, or circles could arise. Any other command that needs a
/// kernel of the list ends it first, and a host thread that waits ends all lists before the awaited command. A fused
/// command that is held back is never waited for either: a waiting thread lets it go.

#include <span>

#include "command.hpp"
#include "command_list.hpp"
#include "command_stream.hpp"
#include "memory_users.hpp"

namespace sycl::inline _V1::detail {

/// Orders the command behind `previous`, `dependencies` and conflicting users of its buffers; runs it when they are
/// complete, and when it is not held any more. Callers hold the order of an in-order queue. If it would have to wait
/// for a kernel that a list still collects, the function does nothing but return that list: the caller ends it, without
/// locks, and tries again.
[[nodiscard]] shared<command_list> submit_command(const command_ptr& submitted, const dependency& previous,
                                                 std::span<const dependency> dependencies,
                                                 std::span<const requirement> requirements);
/// Called after submit_command, with no lock held: lets go of dependencies that were held back.
void release_before(const command_ptr& submitted);

/// Finds a list other than `own` that still collects, among these dependencies and what they wait for. Null: there is
/// none.
shared<command_list> collecting_list(std::span<const dependency> dependencies, const command_list* own = nullptr);
/// Ends the list that collects the kernels for which the command stands. False: there is none.
bool end_fusion_of(const command& wanted);

/// A kernel of a list. The kernel is not in the DAG: the list's command represents it there.
struct collected_kernel {
  std::vector<requirement> requirements;
  std::vector<dependency> before;  ///< by event, and outside of the list; the list itself means all kernels before it
  /// Kernels with this flag keep their order, also when they run one by one: nobody knows which memory their pointers
  /// share.
  bool in_order = false;
};
/// An obstacle to growing a list: another list that has to end first, or the list itself, which would wait for itself.
struct obstacle {
  shared<command_list> list;
  bool is_circle = false;
};
/// Adds a further kernel, whose list `list` was submitted and is held: both get the kernel's dependencies. Otherwise
/// like submit_command.
[[nodiscard]] obstacle extend_command(const command_ptr& list, collected_kernel& kernel);
/// Called when the list has ended and is not fused: submits its kernels one by one. The command `list` has no work, and
/// is complete after all of them.
void submit_collected(std::span<const command_ptr> kernels, std::span<const collected_kernel> details,
                      const command_ptr& list, bool in_order);
/// Called when the list has ended: the command `list` runs all its kernels, and is held back for a moment. The commands
/// `events` are complete when `list` is.
void submit_fused(std::span<const command_ptr> events, const command_ptr& list);
/// Lets a fused command run that was submitted held. Does nothing if it was let go before.
void release_fused(const command_ptr& fused);

/// Called when a device has completed the command.
void finish_on_device(const command_ptr& complete);

/// Runs a command that the calling thread has claimed. Worker threads go on with commands that became ready.
void run_claimed(command_ptr claimed);
/// Drops one blocker of each command. Commands that become ready go to the pool.
void drop_blockers(std::span<const command_ptr> blocked);

/// Returns when the dependency is complete. The calling thread runs it, or what it waits for, if no other thread has
/// started them.
void wait_for(const dependency& awaited);
/// Lets go of commands that are held back for a waiting thread, but does not end fusions that the user has started.
void let_go_for_others(const command_ptr& wanted);
/// Makes the dependency run: ends the fusions that hold it back. All other commands start by themselves.
void start_soon(const dependency& wanted);
/// Whether the dependency is complete. Programs poll with it, so it lets go of commands that are held back.
command::state state_of(const dependency& queried);

/// Submits a host access. Ends the fusions that it would have to wait for.
void submit_host_access(const command_ptr& access, const requirement& needed);
/// Completes a host access.
void complete_host_access(const command_ptr& access);
/// Waits for all that `access` depends on.
void wait_until_ready(const command_ptr& access);

/// Keeps an object alive until all these dependencies are complete. Neither waits for them nor makes them run earlier.
void keep_until_complete(shared<counted> kept, std::span<const dependency> users);

/// Throws errc::runtime in a process that was forked after the runtime started. Arranges that the end of the program
/// waits for all commands.
void start_scheduler();
/// Waits for every submitted command, as the end of the program does. Within a command, it waits for commands that can
/// still run.
void drain_commands();
/// Ends all fusion lists and lets go of held commands, so that they run.
void end_collecting();
/// Whether everything submitted runs to its end, given time. It does not in a forked process, nor when a command has
/// called exit().
bool commands_will_end() noexcept;

/// For a thread that has submitted `ahead` incomplete commands: if they are very many, it sleeps a little, so that
/// memory stays bounded. It never blocks, because running commands may wait for this thread's next action.
void slow_down(std::uint64_t ahead);

std::uint64_t now_nanoseconds() noexcept;

}  // namespace sycl::detail
