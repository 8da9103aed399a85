#pragma once
/// A node of the DAG: its work, its dependencies, and the commands that wait for it.
///
/// A command is submitted by one thread, run by one thread, and looked at by any. Its work belongs to the submitting
/// thread until submit_command, then to the thread that claims it. Edges are protected by the command's own mutex,
/// which is held for nothing else and never together with another command's.

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
  shared<counted> owner;  ///< keeps the kernel's descriptor, where that does not belong to the program
  /// Holds the kernel until the function object is destroyed, whose code may lie in a library too.
  struct hold {
    sinter::device_backend& backend;
    const sinter::abi::kernel_descriptor* kernel;  ///< null: it has no image, and is destroyed with its function object
    ~hold() {
      if (kernel) backend.let_go(*kernel);
    }
  } held;
  function_object function;  ///< owns launch.block
  sinter::kernel_launch launch;
  /// Memory that raw pointers in the block may refer to besides USM: the command's own and that of its buffers.
  std::vector<std::span<const char>> memories;
};

/// Launches and memory operations that a device is given one after the other as one command. The objects that the items
/// point to outlive the list.
struct work_list : counted {
  struct item {
    sinter::device_work work;
    const char* name;  ///< for memory operations, and for kernels that were fused
  };
  std::vector<item> items;
  /// The program that does all of them; null: they are handed over one after the other.
  sinter::device_program* program = nullptr;
  sinter::device_timer* timer = nullptr;  ///< takes the time of all of it; null: nobody asks
};

class device_channel;

/// A place in the work of a device.
struct device_point {
  device_channel* channel = nullptr;  ///< null: the work was not handed over to a channel
  std::uint64_t ticket = 0;
};

/// Something to wait for, and the state of an event: a node, or a ticket of an in-order queue.
struct dependency {
  command_ptr node;    ///< null: `ticket` of `order` is the thing to wait for
  shared<command_stream> order;  ///< null, and `node` too: there is nothing to wait for
  std::uint64_t ticket = 0;

  dependency() = default;
  dependency(command_ptr its_node) noexcept : node(std::move(its_node)) {}
  dependency(shared<command_stream> its_order, std::uint64_t its_ticket) noexcept
      : order(std::move(its_order)), ticket(its_ticket) {}

  bool is_complete() const noexcept;
  /// The place in a device's stream, if the command was handed over.
  device_point handed_over() const noexcept;
  friend bool operator==(const dependency&, const dependency&) noexcept = default;
};

class command final : public runnable, public sinter::recycled<command> {
public:
  enum class state : std::uint8_t { waiting, ready, running, complete };

  /// Never throws: an exception of `work` becomes an asynchronous error of the queue.
  /// Host code; for fused commands of devices that work by themselves, it makes `launches`.
  task work;
  /// Launches that are handed over one after the other. Where threads run the command: what the timeline shows.
  std::vector<sinter::kernel_launch> launches;
  sinter::memory_work memory;
  const char* name = "";              ///< for messages
  shared<submission_queue> queue;     ///< null for host accesses
  /// The queue that gets errors, if that is not `queue`. Null for transfers: no queue gets their errors.
  shared<submission_queue> on_behalf;
  bool is_transfer = false;
  kept_objects keep;                  ///< released when the command is complete
  shared<kernel_work> kernel;         ///< null: the command is no kernel
  /// Several pieces of work for a device that works by itself; null: there is one piece.
  shared<work_list> list;
  shared<native_work> native;         ///< work that the program itself hands to the driver; null: there is none
  cost estimate = unknown_cost;
  bool host_access = false;  ///< completed by the end of a host_accessor, not by running
  const void* accessing_thread = nullptr;  ///< the thread that has the host_accessor (run_mark::this_thread)
  shared<counted> recorded;  ///< a node of a graph: the command represents it in events, and never runs
  shared<counted> given;     ///< the driver's events from which the program made this command; it waits for them
  /// The commands that give it its times: from the first start to the last end of them. Null: it has its own times.
  shared<holder<std::vector<command_ptr>>> timed_by;
  bool ends_graph = false;   ///< waits for all commands of a graph, and has no work of its own in the timeline
  bool is_tag = false;       ///< its times are all equal to that of its end (sycl_ext_oneapi_profiling_tag)
  bool untimed = false;      ///< its queue profiles, but the graph that it runs does not
  bool on_host = false;      ///< runs on a thread of the scheduler, whatever the queue's device
  std::uint64_t traced = 0;  ///< its number in the timeline; 0: nothing asked for it
  shared<traced_replay> replay;  ///< the run of a graph that it is a part of in the timeline
  std::uint64_t submit_time = 0, start_time = 0, end_time = 0;  ///< nanoseconds, profiling queues only

  // Changed under the scheduler's fusion mutex once other threads can see the command.
  /// The list whose fused command this is, until the list has ended.
  std::atomic<command_list*> fusion{nullptr};
  std::atomic<bool> held{false};              ///< see hold()
  bool has_no_work = false;  ///< completes without running; may be set while something blocks the command

  /// The one launch or the operation on memory, if it has no list of them.
  sinter::device_work own_work() const noexcept {
    return kernel ? sinter::device_work(kernel->launch) : sinter::device_work(memory);
  }
  /// Whether it is handed over to a device. Otherwise threads of the scheduler run it, or it does not run.
  bool works_by_itself() const noexcept;
  /// Whether devices keep the order of this command and `other` without the host.
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

  /// A ready command that the calling thread runs from now on. False: another thread has it.
  bool claim() noexcept {
    state expected = state::ready;
    if (!m_state.compare_exchange_strong(expected, state::running, std::memory_order_acq_rel)) return false;
    note_unblocked();
    return true;
  }
  /// Called before submission: adds a blocker until the list has ended and the fused command is let go.
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

  /// False when the command waits for `before` already.
  bool remember_dependency(const dependency& before);
  /// Faster form for a new command, whose dependencies only the submitting thread can look at.
  bool remember_first_dependency(const dependency& before);
  /// Blocks `after` until this command is complete; does nothing when it is.
  void add_successor(const command_ptr& after);
  /// Whether a command waits for this one.
  bool has_successors() const;
  /// Called when nothing blocks the command any more.
  void set_unblocked();
  using successor_list = short_list<command_ptr, 2>;
  /// Notes that a device has the command. Returns the successors that wait for it on a device, without the host; the
  /// caller drops their blockers.
  successor_list set_handed_over(device_point where);
  /// Returns the successors, whose blockers the caller drops.
  successor_list set_complete();
  short_list<dependency, 4> dependencies() const;
  /// For the thread that has claimed the command: no more dependencies are added.
  template <class Visitor>
  void visit_dependencies(const Visitor& visit) const {
    for (std::size_t i = 0; i < m_dependencies.size(); ++i) visit(m_dependencies[i]);
  }
  /// A dependency that a thread waiting for this command can help with: one that is not complete, preferably one that
  /// no thread runs yet. A complete one when there is none. The search begins with dependency number `first` and wraps
  /// around.
  dependency next_to_help(std::size_t first) const;
  /// Sleeps until it is complete; with `until_ready`, until nothing blocks it.
  void sleep_until_complete(bool until_ready);

private:
  std::atomic<state> m_state{state::waiting};  ///< changes to `complete` and from `waiting` under the mutex
  std::atomic<unsigned> m_blockers{1};         ///< incomplete dependencies, holds, and the submission itself
  std::atomic<device_channel*> m_channel{nullptr};   ///< changes under the mutex, behind the ticket
  std::uint64_t m_ticket = 0;

  mutable std::mutex m_mutex;  // protects what follows
  std::condition_variable m_changed;
  bool m_awaited = false;                    ///< a thread sleeps on m_changed, or did so before
  short_list<dependency, 2> m_dependencies;  ///< cleared on completion, so that history does not pile up
  successor_list m_successors;
};

}  // namespace sycl::detail
