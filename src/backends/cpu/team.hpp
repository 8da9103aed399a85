#pragma once
/// Threads that run one launch together with the thread that calls. Each thread has a fixed part, the same in every
/// launch of that size, so that its data are still in its caches. Threads that finish early take work from the others.
/// Helpers look for the next launch for a moment before they sleep: launches of a few microseconds, one after the
/// other, find them awake.

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace sinter {

class team {
public:
  /// Helpers are started when they are first called, and live as long as the process: so does the team.
  explicit team(unsigned most_helpers) : m_members(most_helpers + 1) {}
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  unsigned most_helpers() const noexcept { return static_cast<unsigned>(m_members.size() - 1); }
  /// Whether a call would not have to wake the first helper.
  bool is_awake() const noexcept;

  /// Calls body(i) for each piece i < `pieces`, on the calling thread and on up to `helpers` other threads. A helper
  /// that wakes up too late gets no piece. Rethrows an exception of a body; some pieces are left out then. If another
  /// thread uses the team, waits for it. Without `waits`, returns false at once and does nothing.
  template <class Body>
  bool run(std::uint32_t pieces, unsigned helpers, bool waits, const Body& body) {
    std::unique_lock lock(m_mutex, std::defer_lock);
    if (waits) {
      lock.lock();
    } else if (!lock.try_lock()) {
      return false;
    }
    m_body = &body;
    m_run = [](const void* stored, std::uint32_t piece) { (*static_cast<const Body*>(stored))(piece); };
    run_pieces(pieces, helpers);
    return true;
  }

private:
  /// The state of a helper. The caller calls and takes back; `working` to `idle` and `idle` to `asleep` are the
  /// helper's.
  enum state : std::uint32_t { idle, called, working, asleep };

  /// All data that a helper has to read share one cache line.
  struct alignas(128) member {
    std::atomic<std::uint64_t> left{0};  ///< its pieces: the first in the upper half, behind the last in the lower
    std::atomic<std::uint32_t> now{idle};
    std::atomic<std::uint32_t> missed{0};  ///< calls that were over before it came, since its last timely arrival
  };

  void run_pieces(std::uint32_t pieces, unsigned helpers);
  unsigned start_helpers(unsigned wanted);
  void help(unsigned mine);
  void work(unsigned mine) noexcept;
  bool take_from_others(unsigned mine) noexcept;
  void await_call(member& self) const;
  void leave_caller(const member& self) const;
  static void await_end(member& helper);

  std::mutex m_mutex;             // protects what a call sets
  std::vector<member> m_members;  ///< the caller's is the first
  unsigned m_started = 0;

  // The call that is running:
  void (*m_run)(const void* body, std::uint32_t piece) = nullptr;
  const void* m_body = nullptr;
  unsigned m_count = 0;  ///< members that take part
  std::atomic<int> m_processor{-1};  ///< the caller's
  std::atomic<bool> m_failed{false};
  std::mutex m_error_mutex;  // protects m_error
  std::exception_ptr m_error;
};

}  // namespace sinter
