#pragma once
/// The fast path of an in-order queue: a sequence of commands without nodes of the DAG.
///
/// Commands get tickets 1, 2, 3, ... and run in that order. One thread at a time, the owner, runs the commands: a
/// worker, or a thread that waits for one of the commands. Pushing a short command wakes no worker, because the same
/// thread usually waits next and runs the command itself. If this thread does not wait, the attendant soon gives the
/// command to a worker. Very short copies, and very short kernels that are proved to end, run at once on the submitting
/// thread, because running such a command takes less time than pushing it.
///
/// A command in a stream depends only on the commands before it in the stream. Slots are reused.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <backends/device.hpp>

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// The work of a command, without a node.
struct operation {
  const char* name = "";
  sinter::kernel_launch launch{};  ///< set for kernels, except launch.block, which run() sets
  function_object function;        ///< kernels
  sinter::memory_work memory;      ///< copies and fills
  task work;                       ///< host code
  cost estimate = unknown_cost;
  bool is_kernel = false;

  void run(sinter::device_backend& backend);
  sinter::device_work own_work() const noexcept {
    return is_kernel ? sinter::device_work(launch) : sinter::device_work(memory);
  }
};

class command_stream : public runnable {
public:
  /// `native`: the driver's stream, if the program has made one for this queue; otherwise null.
  command_stream(sinter::device_backend& backend, bool in_order, sinter::stream_use use, void* native = nullptr);
  ~command_stream() override;

  sinter::device_backend& backend() const noexcept { return m_backend; }
  /// Whether the device runs the commands. Otherwise threads of the scheduler run the commands.
  bool works_by_itself() const noexcept { return m_works_by_itself; }
  /// The channel that gets commands without a node; null: threads of the scheduler run these commands.
  device_channel* channel() const noexcept { return m_channels.empty() ? nullptr : m_channels.front().get(); }
  std::span<const std::unique_ptr<device_channel>> channels() const noexcept { return m_channels; }
  /// The channel to which a node without blockers is handed over.
  device_channel& channel_for(const command& ready) noexcept;
  /// From now on, all commands without dependencies go to one channel. If several streams copy in the same direction, a
  /// GPU may make all copies of one stream first. A kernel that needs a copy of another stream would then wait for
  /// copies that it does not need.
  void keep_order_of_free() noexcept { m_order_of_free = true; }
  /// Appends a command and returns its ticket. Callers hold submission_queue::m_order.
  std::uint64_t push(operation&& work);
  /// Hands a command over to a device that works by itself. The command waits for `before`: commands that were handed
  /// over to devices of the same family.
  std::uint64_t hand_over(operation& work, std::span<const dependency> before);
  /// Makes the attendant attend the stream until all commands are complete.
  void keep_attended();
  /// If the command is very short and waits for no other thread, and all earlier commands are complete, runs the
  /// command and returns its ticket. Otherwise returns 0. Callers hold submission_queue::m_order.
  std::uint64_t run_at_once(operation& work);
  /// The ticket of the latest command; 0: none yet. Callers hold submission_queue::m_order.
  std::uint64_t latest() const noexcept { return m_published.load(std::memory_order_relaxed); }
  /// Starts a worker if running the pushed commands takes longer than waking a worker. If the calling thread is far
  /// ahead of the execution, slows the thread down. Callers hold no lock.
  void after_push();

  bool is_complete(std::uint64_t ticket) const noexcept {
    if (m_completed.load(std::memory_order_acquire) < ticket) return m_works_by_itself && is_complete_there(ticket);
    sinter::note_acquire(&m_completed);
    return true;
  }
  bool is_idle() const noexcept {
    if (m_works_by_itself) return is_idle_there();
    if (m_completed.load() != m_published.load()) return false;
    sinter::note_acquire(&m_completed);
    return true;
  }
  /// Whether some thread owns the stream and runs its commands.
  bool is_owned() const noexcept { return m_owned.load(); }
  /// Whether the command has been started.
  bool is_running(std::uint64_t ticket) const noexcept { return m_owned.load() && m_completed.load() + 1 == ticket; }
  /// Returns when the command is complete. Runs the command and the commands before it, unless another thread runs
  /// these commands.
  void wait(std::uint64_t ticket);
  /// Blocks `after` until the command is complete. Does nothing if the command is complete already.
  void follow(std::uint64_t ticket, const command_ptr& after);

  void run_ready() override;
  /// Always false: the stream stays in the pool until a worker takes it. The worker clears m_pooled when it stops
  /// watching the stream.
  bool is_stale() const noexcept override { return false; }
  /// Called by the attendant when the stream's commands have waited long enough.
  void hurry();

  virtual void add_error(std::exception_ptr error) = 0;
  /// Called when the attendant stops attending the stream, because it has been idle for a while. Callers hold no lock.
  virtual void left_alone() {}
  /// Finishes commands that have become complete on the device.
  void retire();
  /// For devices: called after a submission, without a lock. At one submission in 64, finishes the commands that are
  /// complete. The attendant does not do this, because it would compete with the submitting thread for locks, and would
  /// free memory that another thread has allocated.
  void retire_in_passing();
  /// Whether a thread has called retire_in_passing since the attendant's last look, and no command on the host waits
  /// for this stream's commands.
  bool is_served() const noexcept;

  /// The number of the stream's track in the timeline (base/trace.hpp).
  std::uint32_t number() const noexcept { return m_number; }

private:
  friend class attendant;
  struct chunk;
  static constexpr std::uint64_t nobody_waits = std::numeric_limits<std::uint64_t>::max();

  bool is_complete_there(std::uint64_t ticket) const noexcept;
  bool is_idle_there() const noexcept;
  bool own() noexcept {
    if (m_owned.load() || m_owned.exchange(true)) return false;
    sinter::note_acquire(&m_owned);
    return true;
  }
  void disown();
  /// Whether the work is known to end without waiting for other work. If the work is a kernel, sets launch.code.
  bool ends_by_itself(operation& work) const noexcept;
  /// Called by the owner. Runs the pushed commands up to ticket `last`.
  void run_until(std::uint64_t last);
  void run_slot(operation& work) noexcept;
  void notify(std::uint64_t completed);
  chunk* fresh_chunk();
  void recycle(chunk* used) noexcept;
  cost pending_cost() const noexcept;

  void trace_slot(const operation& work, std::uint64_t ticket, std::uint64_t start, std::uint64_t end) const;

  sinter::device_backend& m_backend;
  const std::uint32_t m_number;
  const bool m_works_by_itself;
  std::vector<std::unique_ptr<device_channel>> m_channels;
  std::atomic<unsigned> m_next_channel{0}, m_passed{0};
  std::atomic<bool> m_served{false};
  bool m_order_of_free = false;

  // Members for the pushing thread:
  chunk* m_write_chunk;
  std::size_t m_write_at = 0;
  std::atomic<cost> m_pushed_cost{0};

  // Members for the owner. A thread that becomes the owner (m_owned) takes them over.
  alignas(64) chunk* m_read_chunk;
  std::size_t m_read_at = 0;
  std::uint64_t m_last_clock = 0;
  std::atomic<cost> m_finished_cost{0};

  // Members for all threads. Their loads and stores are sequentially consistent, because two threads may each store one
  // member and then load the member that the other one stores. Such pairs are a push and disown(), a completion and a
  // wait, and a push and the attendant that stops attending.
  alignas(64) std::atomic<std::uint64_t> m_published{0};
  alignas(64) std::atomic<std::uint64_t> m_completed{0};
  std::atomic<std::uint64_t> m_wanted{nobody_waits};  ///< the lowest ticket that a thread waits for
  std::atomic<bool> m_owned{false};
  std::atomic<bool> m_attended{false};  ///< the attendant attends the stream; always true while the stream has work
  std::atomic<bool> m_pooled{false};    ///< the stream is in the pool, or a worker watches it
  std::atomic<chunk*> m_free{nullptr};  ///< the owner adds used chunks, the pushing thread takes them
  std::atomic<std::size_t> m_free_count{0};
  unsigned m_idle_looks = 0;      ///< used by the attendant, under its mutex
  std::uint64_t m_last_seen = 0;  ///< used by the attendant: the latest complete ticket at its last look

  struct follower {
    std::uint64_t ticket;
    command_ptr command;
  };
  std::mutex m_wait_mutex;  // protects the members below; also held for stores to m_wanted
  std::condition_variable m_changed;
  unsigned m_sleepers = 0;
  std::vector<follower> m_followers;
};

}  // namespace sycl::detail
