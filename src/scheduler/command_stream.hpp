#pragma once
/// The fast path of an in-order queue: its commands in a row, without nodes of the DAG.
///
/// Commands get tickets 1, 2, 3, ... and run in that order. One thread at a time, the owner, runs them: a worker, or a
/// thread that waits for one of them. Pushing a short command wakes no worker: mostly the same thread waits next and
/// runs it itself; if it does not, the attendant gives the command to a worker within moments. Copies and kernels that
/// are proved to end run while they are submitted, if they take less time than putting them here.
///
/// A stream contains only commands that depend on nothing but the commands before them. Slots are used again and again.

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
  sinter::kernel_launch launch{};  ///< kernels; its block is set where it runs
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
  /// `native`: a stream of the driver's, if the program gave one.
  command_stream(sinter::device_backend& backend, bool in_order, sinter::stream_use use, void* native = nullptr);
  ~command_stream() override;

  sinter::device_backend& backend() const noexcept { return m_backend; }
  /// Whether the device runs the commands. Otherwise threads of the scheduler run them.
  bool works_by_itself() const noexcept { return m_works_by_itself; }
  /// The channel for commands without a node; null: threads of the scheduler run them.
  device_channel* channel() const noexcept { return m_channels.empty() ? nullptr : m_channels.front().get(); }
  std::span<const std::unique_ptr<device_channel>> channels() const noexcept { return m_channels; }
  /// The channel that takes a node without blockers.
  device_channel& channel_for(const command& ready) noexcept;
  /// From now on, commands without dependencies take one channel. GPUs copy the data of several streams in one
  /// direction in any order, sometimes all data of the first stream first. A kernel would then wait for copies that it
  /// does not need.
  void keep_order_of_free() noexcept { m_order_of_free = true; }
  /// Appends a command; returns its ticket. Callers take turns (submission_queue::m_order).
  std::uint64_t push(operation&& work);
  /// Hands a command over to a device that works by itself, behind commands that were handed over to others of the
  /// family.
  std::uint64_t hand_over(operation& work, std::span<const dependency> before);
  /// Makes the attendant look until all commands are complete.
  void keep_attended();
  /// Runs the command and returns its ticket, if the command is known to take hardly any time, whatever other threads
  /// do, and if its turn has come; otherwise returns 0. Callers as above.
  std::uint64_t run_at_once(operation& work);
  /// The ticket of the latest command; 0: none yet. Callers as above.
  std::uint64_t latest() const noexcept { return m_published.load(std::memory_order_relaxed); }
  /// Starts a worker when there is enough to do, and slows down a thread that is far ahead. No lock may be held.
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
  /// Whether a thread runs the commands here.
  bool is_owned() const noexcept { return m_owned.load(); }
  /// Whether the command has been started.
  bool is_running(std::uint64_t ticket) const noexcept { return m_owned.load() && m_completed.load() + 1 == ticket; }
  /// Returns when the command is complete; runs it and the commands before it if no other thread does.
  void wait(std::uint64_t ticket);
  /// Blocks `after` until the command is complete; does nothing when it is.
  void follow(std::uint64_t ticket, const command_ptr& after);

  void run_ready() override;
  /// Never: a worker comes for the stream in any case, and notes when it has left.
  bool is_stale() const noexcept override { return false; }
  /// Called by the attendant when the commands here have waited long enough.
  void hurry();

  virtual void add_error(std::exception_ptr error) = 0;
  /// Called when the stream has been idle for a while and is not attended any more. No lock may be held.
  virtual void left_alone() {}
  /// Finishes commands that have become complete on the device.
  void retire();
  /// For devices: called behind a submission, without a lock. A thread that goes on submitting finishes complete
  /// commands now and then. The attendant would be in its way, and would leave its memory to another thread.
  void retire_in_passing();
  /// Whether a submitting thread has done so since the attendant's last visit, and no thread waits for complete
  /// commands.
  bool is_served() const noexcept;

  /// The number of its track in the timeline (base/trace.hpp).
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
  /// Whether the work is known to end without other work. Gives a kernel's launch its code.
  bool ends_by_itself(operation& work) const noexcept;
  /// The owner calls it. Runs the commands that have been pushed, up to the ticket.
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

  // Members for the owner. They change hands with m_owned.
  alignas(64) chunk* m_read_chunk;
  std::size_t m_read_at = 0;
  std::uint64_t m_last_clock = 0;
  std::atomic<cost> m_finished_cost{0};

  // Members for all threads. Loads and stores of these four are sequentially consistent if one thread's store must be
  // seen by another thread that stores something else: push and disown, complete and wait, push and the attendant's
  // leaving.
  alignas(64) std::atomic<std::uint64_t> m_published{0};
  alignas(64) std::atomic<std::uint64_t> m_completed{0};
  std::atomic<std::uint64_t> m_wanted{nobody_waits};  ///< the least ticket somebody waits for
  std::atomic<bool> m_owned{false};
  std::atomic<bool> m_attended{false};  ///< known to the attendant, as it has to be while there is work
  std::atomic<bool> m_pooled{false};    ///< in the pool, or a worker watches
  std::atomic<chunk*> m_free{nullptr};  ///< recycled by the owner, taken by whoever pushes
  std::atomic<std::size_t> m_free_count{0};
  unsigned m_idle_looks = 0;      ///< the attendant's, under its mutex
  std::uint64_t m_last_seen = 0;  ///< the attendant's, too: the latest ticket that was complete

  struct follower {
    std::uint64_t ticket;
    command_ptr command;
  };
  std::mutex m_wait_mutex;  // protects what follows, and stores to m_wanted
  std::condition_variable m_changed;
  unsigned m_sleepers = 0;
  std::vector<follower> m_followers;
};

}  // namespace sycl::detail
