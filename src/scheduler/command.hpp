#pragma once
/// A node of the DAG: its work, its dependencies, and the commands that wait for it.
///
/// One thread submits a command, one thread runs it, and any thread may look at it. Before submit_command, only the
/// submitting thread accesses the command's work. Afterwards, only the thread that claims the command accesses the
/// work. The command's own mutex protects its edges and nothing else. No thread holds the mutexes of two commands at
/// the same time.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <backends/device.hpp>
#include <base/race_notes.hpp>
#include <base/recycled.hpp>

#include <sycl/detail/compiled_core.hpp>

#include "launch_cost.hpp"
#include "native_work.hpp"
#include "runnable.hpp"
#include "short_list.hpp"
#include "task.hpp"
#include "traced_replay.hpp"

namespace sycl::inline _V1::detail {

class command_list;
class command_stream;
class submission_queue;
class command;
using command_ptr = shared<command>;

/// Objects that a command keeps alive.
using kept_objects = short_list<shared<counted>, 4>;

/// A kernel launch as data, which fusion reads.
struct kernel_work final : counted, sinter::recycled<kernel_work> {
  kernel_work(function_object&& its_function, const sinter::kernel_launch& its_launch, sinter::device_backend& backend)
      : held{backend, its_launch.kernel->image ? its_launch.kernel : nullptr},
        function(std::move(its_function)),
        launch(its_launch) {
    launch.block = function.get();
    if (held.kernel) backend.hold(*held.kernel);
  }
  shared<counted> owner;  ///< keeps the kernel's descriptor, if the descriptor is not part of the program
  /// Keeps the kernel's library loaded until the function object is destroyed, because the destructor's code may be in
  /// the same library.
  struct hold {
    sinter::device_backend& backend;
    const sinter::abi::kernel_descriptor* kernel;  ///< null: the kernel has no image, so no library has to be kept
    ~hold() {
      if (kernel) backend.let_go(*kernel);
    }
  } held;
  function_object function;  ///< owns launch.block
  sinter::kernel_launch launch;
  /// Memory other than USM to which raw pointers in the argument block may point: the command's own memory, and the
  /// memory of its buffers.
  std::vector<std::span<const char>> memories;
};

/// The work of one command that consists of several launches and memory operations. A channel hands the launches and
/// operations over to its device one after the other. The items may point only to objects that outlive the list.
struct work_list : counted {
  struct item {
    sinter::device_work work;
    const char* name;  ///< name in the timeline of memory operations and fused kernels
  };
  std::vector<item> items;
  /// The program that does the work of all items; null: the items are handed over one after the other.
  sinter::device_program* program = nullptr;
  sinter::device_timer* timer = nullptr;  ///< measures the time of the whole list; null: the time is not needed
};

class device_channel;

/// A position in the sequence of work that a channel has handed over.
struct device_point {
  device_channel* channel = nullptr;  ///< null: the work was not handed over to a channel
  std::uint64_t ticket = 0;
};

/// Something to wait for: a node, or a ticket of an in-order queue. An event holds a dependency.
struct dependency {
  command_ptr node;    ///< null: the dependency is the command with number `ticket` in the stream `order`
  shared<command_stream> order;  ///< if `order` and `node` are null, there is nothing to wait for
  std::uint64_t ticket = 0;

  dependency() = default;
  dependency(command_ptr its_node) noexcept : node(std::move(its_node)) {}
  dependency(shared<command_stream> its_order, std::uint64_t its_ticket) noexcept
      : order(std::move(its_order)), ticket(its_ticket) {}

  bool is_complete() const noexcept;
  /// The command's position in a channel, if the command was handed over.
  device_point handed_over() const noexcept;
  friend bool operator==(const dependency&, const dependency&) noexcept = default;
};

class command final : public runnable, public sinter::recycled<command> {
public:
  enum class state : std::uint8_t { waiting, ready, running, complete };

  /// With an implicit constructor, `new command()` would fill all of the object with zeros first.
  command() noexcept {}

  /// Host code. In a fused command of a device that works by itself, this code only fills in `launches`. If `work`
  /// throws an exception, the exception becomes an asynchronous error of the queue.
  task work;
  /// Launches that are handed over one after the other. If threads run the command, the launches are only for the
  /// timeline.
  std::vector<sinter::kernel_launch> launches;
  sinter::memory_work memory;
  const char* name = "";              ///< for messages
  shared<submission_queue> queue;     ///< null for host accesses
  /// The queue that gets the command's errors; null: `queue` gets the errors. Errors of a transfer are dropped if this
  /// pointer is null.
  shared<submission_queue> on_behalf;
  bool is_transfer = false;
  kept_objects keep;                  ///< released when the command is complete
  shared<kernel_work> kernel;         ///< null: the command is no kernel
  /// Several items of work for a device that works by itself; null: the command has one item, which own_work() returns.
  shared<work_list> list;
  shared<native_work> native;         ///< work that the program itself hands over to the driver; may be null
  cost estimate = unknown_cost;
  bool host_access = false;  ///< the end of a host_accessor completes this command, which never runs
  const void* accessing_thread = nullptr;  ///< the thread that has the host_accessor (run_mark::this_thread)
  shared<counted> recorded;  ///< a node of a graph; this command never runs, it only represents the node in events
  shared<counted> given;     ///< the driver's events that this command waits for (interoperability)
  /// For profiling, this command starts when the first of these commands starts, and ends when the last of them ends.
  /// Null: the command has times of its own.
  shared<holder<std::vector<command_ptr>>> timed_by;
  bool ends_graph = false;   ///< the last command of a graph: waits for all others; not in the timeline
  bool is_tag = false;       ///< in profiling, all its times equal its end time (sycl_ext_oneapi_profiling_tag)
  bool untimed = false;      ///< its queue has profiling enabled, but the graph that the command runs has not
  bool on_host = false;      ///< runs on a thread of the scheduler, for any device
  std::uint64_t traced = 0;  ///< the command's number in the timeline; 0: it has no number yet
  shared<traced_replay> replay;  ///< in the timeline, the command belongs to this run of a graph
  std::uint64_t submit_time = 0, start_time = 0, end_time = 0;  ///< in nanoseconds, only for queues with profiling

  // The list that this command represents in the DAG; null after the list has ended. Once other threads can see the
  // command, changes need the scheduler's fusion mutex.
  std::atomic<command_list*> fusion{nullptr};
  std::atomic<bool> held{false};              ///< see hold()
  bool has_no_work = false;  ///< completes without running; may be set while something blocks the command

  /// The command's launch or memory operation, for commands without a list of work.
  sinter::device_work own_work() const noexcept {
    return kernel ? sinter::device_work(kernel->launch) : sinter::device_work(memory);
  }
  /// Whether the scheduler hands the command over to a device. If not, threads of the scheduler run the command, or it
  /// completes without running.
  bool works_by_itself() const noexcept;
  /// Whether devices run `other` and this command in order without help of the host.
  bool is_ordered_with(const command& other) const noexcept;
  device_point handed_over() const noexcept;

  state status() const noexcept { return m_state.load(std::memory_order_acquire); }
  bool is_complete() const noexcept {
    if (status() != state::complete) return false;
    sinter::note_acquire(&m_state);
    return true;
  }
  void add_error(std::exception_ptr error) const;
  bool is_stale() const noexcept override { return status() > state::ready; }
  void run_ready() override;

  /// The calling thread claims a ready command, which it then has to run. Returns false if another thread has claimed
  /// the command.
  bool claim() noexcept {
    state expected = state::ready;
    if (!m_state.compare_exchange_strong(expected, state::running, std::memory_order_acq_rel)) return false;
    note_unblocked();
    return true;
  }
  /// Called before submission. Adds a blocker to a command that represents a list. The scheduler drops the blocker when
  /// it releases the fused command after the list has ended.
  void hold() noexcept {
    held.store(true, std::memory_order_relaxed);
    block();
  }
  void block() noexcept { m_blockers.fetch_add(1, std::memory_order_relaxed); }
  /// Returns whether this was the last blocker.
  bool unblock() noexcept {
    sinter::note_release(&m_blockers);
    return m_blockers.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Makes this thread see all memory that other threads wrote before they unblocked the command.
  void note_unblocked() const noexcept { sinter::note_acquire(&m_blockers); }

  /// Adds a dependency. Returns false if the command has this dependency already.
  bool remember_dependency(const dependency& before);
  /// A faster remember_dependency for a new command whose dependencies no other thread can see yet.
  bool remember_first_dependency(const dependency& before);
  /// Blocks `after` until this command is complete. Does nothing if this command is complete already.
  void add_successor(const command_ptr& after);
  /// Whether a command waits for this command.
  bool has_successors() const;
  /// Called when the command has no blockers any more.
  void set_unblocked();
  using successor_list = short_list<command_ptr, 2>;
  /// Notes that the command was handed over to a device. Returns the successors whose devices wait for this device
  /// without the host; the caller drops their blockers.
  successor_list set_handed_over(device_point where);
  /// Returns the successors. The caller drops one blocker of each successor.
  successor_list set_complete();
  short_list<dependency, 4> dependencies() const;
  /// Visits the dependencies. Only the thread that has claimed the command may call this function, because no
  /// dependency is added to a claimed command.
  template <class Visitor>
  void visit_dependencies(const Visitor& visit) const {
    for (std::size_t i = 0; i < m_dependencies.size(); ++i) visit(m_dependencies[i]);
  }
  /// A thread that waits for this command can help to complete the command's dependencies. Returns a dependency for
  /// such a thread: an incomplete dependency, preferably one that no thread runs yet. If all dependencies are complete,
  /// the result is a complete dependency. The search begins with dependency number `first` and wraps around.
  dependency next_to_help(std::size_t first) const;
  /// Sleeps until the command is complete. With `until_ready`, sleeps only until the command has no blockers.
  void sleep_until_complete(bool until_ready);

private:
  /// Set to `complete`, and changed from `waiting`, under m_mutex; see set_unblocked for an exception.
  std::atomic<state> m_state{state::waiting};
  std::atomic<unsigned> m_blockers{1};         ///< incomplete dependencies, holds, and the submission itself
  std::atomic<device_channel*> m_channel{nullptr};   ///< set under m_mutex, after m_ticket
  std::uint64_t m_ticket = 0;

  mutable std::mutex m_mutex;  // protects what follows
  std::condition_variable m_changed;
  bool m_awaited = false;                    ///< a thread sleeps on m_changed, or did so before
  short_list<dependency, 2> m_dependencies;  ///< cleared on completion, to release earlier commands
  successor_list m_successors;
};

}  // namespace sycl::detail
