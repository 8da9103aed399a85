#pragma once
/// The threads that run work which no other thread runs. Ready work lies in several lists, so that threads that submit
/// to different queues rarely meet.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "runnable.hpp"

namespace sycl::inline _V1::detail {

/// Whether a worker is wanted at once. Otherwise a waiting thread will probably come first, and the attendant makes
/// sure that the work does not wait long.
enum class urgency { soon, now };

class worker_pool {
public:
  static worker_pool& instance();

  void push(shared<runnable> work, urgency when);
  bool is_empty() const noexcept { return m_queued.load() == 0; }
  /// Gives a thread to each piece of work that has not moved since the last time. Called by the attendant.
  void look_after();
  /// While a thread sleeps for a command it could not help with, ready work gets a worker at once.
  void add_sleeper() noexcept { m_sleepers.fetch_add(1); }
  void drop_sleeper() noexcept { m_sleepers.fetch_sub(1); }

private:
  struct list {
    std::mutex mutex;                    // protects what follows
    std::vector<shared<runnable>> work;  ///< from `begin` on; memory is kept
    std::size_t begin = 0;
    const void* first_seen = nullptr;  ///< the work at the front when the attendant last looked
    unsigned looks = 0;                ///< how often it has found this work there

    std::size_t size() const noexcept { return work.size() - begin; }
    shared<runnable>& front() noexcept { return work[begin]; }
    void push(shared<runnable> last);
    shared<runnable> pop() noexcept;
  };
  // More lists than threads that submit at the same time on most machines.
  static constexpr std::size_t list_count = 16;

  list& list_for_this_thread() noexcept;
  /// Called under the list's mutex: returns work at the front that another thread has done, so that lists stay short
  /// without any worker.
  shared<runnable> take_stale(list& from);
  shared<runnable> take(std::size_t& at);
  /// Wakes up to `count` idle workers, then starts new ones as long as there are fewer than `limit`.
  void give_threads(std::size_t count, std::size_t limit);
  void work();

  std::array<list, list_count> m_lists;
  std::atomic<std::size_t> m_queued{0};
  std::atomic<unsigned> m_sleepers{0};

  std::mutex m_mutex;  // protects what follows
  std::condition_variable m_wanted;
  std::size_t m_workers = 0;
  std::size_t m_idle = 0;   ///< workers that sleep, including those that were called
  std::size_t m_calls = 0;  ///< wake-up calls that no worker has answered yet
};

}  // namespace sycl::detail
