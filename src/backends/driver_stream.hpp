#pragma once
/// The base class of streams of drivers. It records complete tickets, errors, unfinished waits of other streams for
/// this stream, and the times of work.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sycl/detail/export.hpp>

#include "stream.hpp"
#include "work_item_failure.hpp"

namespace sinter {

/// The measured work of a stream, in the order of tickets. Threads may query the times of this work. Only the latest
/// entries are kept.
template <class Piece>
class measured_work {
public:
  /// `forget` releases the events of an entry that is dropped because nobody queried its times.
  template <class Forget>
  void add(Piece added, const Forget& forget) {
    if (m_pieces.size() >= most) {
      forget(m_pieces.front());
      m_pieces.pop_front();
    }
    m_pieces.push_back(std::move(added));
  }
  /// Removes and returns the entry of a ticket, so the times of a ticket can be queried only once.
  std::optional<Piece> take(std::uint64_t ticket) {
    const auto found =
        std::find_if(m_pieces.begin(), m_pieces.end(), [&](const Piece& each) { return each.ticket == ticket; });
    if (found == m_pieces.end()) return std::nullopt;
    std::optional<Piece> taken(std::move(*found));
    m_pieces.erase(found);
    return taken;
  }
  auto begin() const noexcept { return m_pieces.begin(); }
  auto end() const noexcept { return m_pieces.end(); }

private:
  static constexpr std::size_t most = 4096;
  std::deque<Piece> m_pieces;
};

/// The progress of a stream. Other streams that wait for this stream share the object, and may outlive this stream.
struct stream_progress {
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> lost{false};
};

/// Records which other streams wait for work of a stream. The object may outlive the stream, like the stream's events.
/// The class is exported, because tests define devices of their own.
class SINTER_EXPORT stream_waits {
public:
  /// Adds a wait for ticket `awaited` of this stream. The wait is over when `ticket` of the waiting stream `who` is
  /// complete.
  void add(std::uint64_t awaited, std::shared_ptr<const stream_progress> who, std::uint64_t ticket);
  /// Returns whether a stream still waits for `ticket` or an earlier ticket.
  bool has_any(std::uint64_t ticket);

private:
  struct wait {
    std::uint64_t awaited;
    std::shared_ptr<const stream_progress> who;
    std::uint64_t ticket;
  };
  std::atomic<bool> m_has_waits{false};  ///< whether `m_waits` has elements, for threads without the lock
  std::mutex m_mutex;  // protects the members below
  std::vector<wait> m_waits;
};

/// The class is exported, because tests define devices of their own.
class SINTER_EXPORT driver_stream : public device_stream {
public:
  bool is_complete(std::uint64_t ticket) final;
  void wait_for(device_stream& other, std::uint64_t ticket) final;
  std::exception_ptr take_error() final;

protected:
  /// Says when an event of the driver may be reused after its work is complete.
  enum class event_use : std::uint8_t {
    counted,  ///< at once: the driver keeps an event as long as a stream waits for it
    reset     ///< only when all waits for the event are over (is_awaited)
  };
  explicit driver_stream(event_use events) : m_events(events) {}

  /// Asks the driver whether the ticket is complete. Calls `set_done` if it is, or `fail` if the driver reports an
  /// error. Called under m_mutex.
  virtual void look_for(std::uint64_t ticket) = 0;
  /// Returns an event that is complete when the ticket is complete, for another stream to wait for. The caller passes
  /// the event to `drop_event` afterwards. Returns null if the ticket is complete already. Called under m_mutex.
  virtual void* event_for_wait(std::uint64_t ticket) = 0;
  virtual void drop_event(void* /*event*/) {}
  /// Makes the next command wait for the event of another stream, `owner`, which belongs to the same driver.
  virtual void wait_for_event(void* event, driver_stream& owner) = 0;
  virtual const std::string& device_name() const noexcept = 0;

  std::uint64_t done() const noexcept { return m_progress->done.load(std::memory_order_acquire); }
  void set_done(std::uint64_t ticket) noexcept { m_progress->done.store(ticket, std::memory_order_release); }
  bool is_lost() const noexcept { return m_progress->lost.load(); }
  /// Called when the device has failed: no more work will complete, and waits return.
  void set_lost() noexcept { m_progress->lost.store(true); }
  /// Marks the stream as failed, and records the failed operation (`doing`) and the driver's message (`why`). Only the
  /// first failure is recorded. Called under m_mutex.
  void fail(const char* doing, const std::string& why);
  /// Called under m_mutex when a work-item has failed.
  void note_error(std::exception_ptr error) {
    if (!m_error) m_error = std::move(error);
  }
  /// Called by the thread that hands work over. From then on, take_error also looks for failures of the program's
  /// work-items. `program` is null if work-items can't report failures.
  void listen_to(const std::shared_ptr<failing_program>& program);
  /// Returns whether another stream still waits for work up to this ticket.
  bool is_awaited(std::uint64_t ticket) { return m_waits->has_any(ticket); }
  /// Used by backends whose events outlive the stream.
  const std::shared_ptr<stream_progress>& progress() const noexcept { return m_progress; }
  const std::shared_ptr<stream_waits>& waits() const noexcept { return m_waits; }

  std::mutex m_mutex;  ///< protects the state that the functions above use

private:
  const event_use m_events;
  const std::shared_ptr<stream_progress> m_progress = std::make_shared<stream_progress>();
  const std::shared_ptr<stream_waits> m_waits = std::make_shared<stream_waits>();
  /// Changed under m_mutex, by threads that hand work over.
  std::vector<std::shared_ptr<failing_program>> m_may_fail;
  std::exception_ptr m_error;        ///< protected by the mutex
};

/// Fills memory by copies: first a copy of the pattern, then copies of the part that is filled already. Each of these
/// copies doubles the filled part. `copy` takes destination, source and bytes; the copies have to run one after the
/// other. `pattern` is the address at which `copy` finds the pattern.
template <class Copy>
void fill_by_copies(const memory_fill& fill, const void* pattern, const Copy& copy) {
  auto* const to = static_cast<char*>(fill.destination);
  const std::size_t bytes = fill.pattern_bytes * fill.count;
  copy(to, static_cast<const char*>(pattern), fill.pattern_bytes);
  for (std::size_t done = fill.pattern_bytes; done < bytes;) {
    const std::size_t next = std::min(done, bytes - done);
    copy(to + done, to, next);
    done += next;
  }
}

}  // namespace sinter
