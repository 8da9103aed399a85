#pragma once
/// A team of threads runs one launch together with the calling thread. Each thread begins with a fixed part of the
/// work, which is the same in every launch of the same size, so that the part's data are still in the thread's caches.
/// Threads that finish early take work from the others. Helpers poll for the next launch for a short time before they
/// sleep, so they are still awake if launches of a few microseconds follow each other.

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace sinter {

class team {
public:
  /// Helper threads start when they are first needed. The team and its threads exist until the process ends.
  explicit team(unsigned most_helpers) : m_members(most_helpers + 1) {}
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  unsigned most_helpers() const noexcept { return static_cast<unsigned>(m_members.size() - 1); }
  /// Returns whether the first helper is awake.
  bool is_awake() const noexcept;

  /// Calls body(i) for each piece i < `pieces`, on the calling thread and on up to `helpers` other threads. A helper
  /// that wakes up too late gets no piece. If a body throws, `run` skips the remaining pieces and rethrows the
  /// exception. If another thread is using the team, `waits` decides: if it is true, `run` waits until the team is
  /// free; if it is false, `run` does nothing and returns false.
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
  /// The state of a helper. The caller sets the state to `called`, and may set it back to `idle` before the helper
  /// begins. The helper itself changes the state from `called` to `working`, from `working` to `idle`, and from `idle`
  /// to `asleep`.
  enum state : std::uint32_t { idle, called, working, asleep };

  /// All of a member's data that helpers read are in one cache line.
  struct alignas(128) member {
    /// The member's remaining pieces [first, end): `first` is in the upper 32 bits, and `end` in the lower 32 bits.
    std::atomic<std::uint64_t> left{0};
    std::atomic<std::uint32_t> now{idle};
    std::atomic<std::uint32_t> missed{0};  ///< number of successive launches that ended before the helper began
  };

  void run_pieces(std::uint32_t pieces, unsigned helpers);
  unsigned start_helpers(unsigned wanted);
  void help(unsigned mine);
  void work(unsigned mine) noexcept;
  bool take_from_others(unsigned mine) noexcept;
  void await_call(member& self) const;
  void leave_caller(const member& self) const;
  static void await_end(member& helper);

  std::mutex m_mutex;             // protects the members that a call sets
  std::vector<member> m_members;  ///< the first member is the caller
  unsigned m_started = 0;

  // The members below describe the current call of `run`.
  void (*m_run)(const void* body, std::uint32_t piece) = nullptr;
  const void* m_body = nullptr;
  unsigned m_count = 0;  ///< number of members that take part
  std::atomic<int> m_processor{-1};  ///< processor of the caller
  std::atomic<bool> m_failed{false};
  std::mutex m_error_mutex;  // protects m_error
  std::exception_ptr m_error;
};

}  // namespace sinter
