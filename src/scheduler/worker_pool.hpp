#pragma once
/// The worker threads. These threads run work that no other thread runs. Ready work is in several lists, so that
/// threads which submit to different queues rarely lock the same list.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "runnable.hpp"

namespace sycl::inline _V1::detail {

/// `now`: a worker has to start at once. `soon`: a waiting thread will probably run the work; if no thread does, the
/// attendant soon gives the work to a worker.
enum class urgency { soon, now };

class worker_pool {
public:
  static worker_pool& instance();

  void push(shared<runnable> work, urgency when);
  bool is_empty() const noexcept { return m_queued.load() == 0; }
  /// If the item of work at the front of a list was there at the last call already, gives a thread to this item. Called
  /// by the attendant.
  void look_after();
  /// A thread calls these functions before and after it sleeps to wait for other threads. While such a thread sleeps,
  /// ready work gets a worker at once.
  void add_sleeper() noexcept { m_sleepers.fetch_add(1); }
  void drop_sleeper() noexcept { m_sleepers.fetch_sub(1); }

private:
  struct list {
    std::mutex mutex;                    // protects what follows
    std::vector<shared<runnable>> work;  ///< the first item has the index `begin`; the vector's memory is reused
    std::size_t begin = 0;
    const void* first_seen = nullptr;  ///< the work at the front when the attendant last looked
    unsigned looks = 0;                ///< how often the attendant has found this work at the front

    std::size_t size() const noexcept { return work.size() - begin; }
    shared<runnable>& front() noexcept { return work[begin]; }
    void push(shared<runnable> last);
    shared<runnable> pop() noexcept;
  };
  // On most machines, the number of threads that submit at the same time is smaller than this number.
  static constexpr std::size_t list_count = 16;

  list& list_for_this_thread() noexcept;
  /// Called under the list's mutex: removes and returns an item at the front whose work another thread has done. Lists
  /// thus stay short even if no worker runs.
  shared<runnable> take_stale(list& from);
  shared<runnable> take(std::size_t& at);
  /// Wakes up to `count` idle workers, then starts new workers as long as there are fewer than `limit` workers.
  void give_threads(std::size_t count, std::size_t limit);
  void work();

  std::array<list, list_count> m_lists;
  std::atomic<std::size_t> m_queued{0};
  std::atomic<unsigned> m_sleepers{0};

  std::mutex m_mutex;  // protects what follows
  std::condition_variable m_wanted;
  std::size_t m_workers = 0;
  std::size_t m_idle = 0;   ///< workers that sleep, including those that were called
  std::size_t m_calls = 0;  ///< wake-up calls to which no worker has reacted yet
};

}  // namespace sycl::detail
