#include "worker_pool.hpp"

#include <algorithm>
#include <base/processors.hpp>
#include <base/race_notes.hpp>
#include <base/running.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "attendant.hpp"
#include "test_hooks.hpp"

namespace sycl::inline _V1::detail {
namespace {

// This many threads are enough even if some commands block (host tasks, kernels that poll).
constexpr std::size_t most_workers = 32;
// If all workers are busy, waiting work gets a new thread only after the attendant has seen the work waiting
// `most_looks` times, because a worker may soon be free.
constexpr unsigned most_looks = 8;

}  // namespace

worker_pool& worker_pool::instance() {
  static auto* pool = new (sinter::lasting) worker_pool;  // never destroyed, because its threads never end
  return *pool;
}

worker_pool::list& worker_pool::list_for_this_thread() noexcept {
  static std::atomic<std::size_t> next{0};
  static thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % list_count;
  return m_lists[mine];
}

void worker_pool::list::push(shared<runnable> last) {
  if (begin == work.size()) {
    work.clear();
    begin = 0;
  } else if (begin >= 64 && begin >= work.size() / 2) {
    work.erase(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
  work.push_back(std::move(last));
}

shared<runnable> worker_pool::list::pop() noexcept { return std::move(work[begin++]); }

shared<runnable> worker_pool::take_stale(list& from) {
  if (from.size() == 0 || !from.front()->is_stale()) return nullptr;
  m_queued.fetch_sub(1);
  return from.pop();
}

void worker_pool::push(shared<runnable> work, urgency when) {
  // Two stale items are removed for each new item, so that the number of stale items stays small. The removed items are
  // destroyed without the lock.
  shared<runnable> stale[2];
  {
    list& list = list_for_this_thread();
    std::lock_guard lock(list.mutex);
    for (shared<runnable>& each : stale) each = take_stale(list);
    list.push(std::move(work));
    m_queued.fetch_add(1);
  }
  if (when == urgency::now || m_sleepers.load() > 0 || shuffles()) {
    give_threads(1, most_workers);
  } else {
    attendant::instance().stir();
  }
}

shared<runnable> worker_pool::take(std::size_t& at) {
  for (std::size_t i = 0; i < list_count && !is_empty(); ++i) {
    list& list = m_lists[(at + i) % list_count];
    std::lock_guard lock(list.mutex);
    if (list.size() == 0) continue;
    at = (at + i) % list_count;
    if (shuffles()) std::swap(list.front(), list.work[list.begin + shuffled(list.size())]);
    m_queued.fetch_sub(1);
    return list.pop();
  }
  return nullptr;
}

void worker_pool::work() {
  sinter::use_all_processors();
  std::size_t at = 0;
  for (;;) {
    {
      // This thread counts as running before it takes work. Otherwise a thread that ends the program could overlook
      // work that has left the pool and does not run yet.
      const running_scope busy;
      while (shared<runnable> next = take(at)) next->run_ready();
    }
    std::unique_lock lock(m_mutex);
    if (!is_empty()) continue;
    ++m_idle;
    m_wanted.wait(lock, [&] { return m_calls > 0; });
    --m_calls;
    --m_idle;
  }
}

void worker_pool::give_threads(std::size_t count, std::size_t limit) {
  sinter::usable_processors();  // has to be called before a new worker calls use_all_processors()
  std::lock_guard lock(m_mutex);
  for (; count > 0; --count) {
    // Each item of work needs a worker of its own. m_calls of the idle workers have already been woken for other items.
    if (m_idle > m_calls) {
      ++m_calls;
      m_wanted.notify_one();
    } else if (m_workers < limit) {
      try {
        std::thread([this] { work(); }).detach();
      } catch (const std::system_error&) {
        // No more threads can be started. Existing workers and waiting threads do the work.
        return;
      }
      ++m_workers;
    } else {
      return;
    }
  }
}

void worker_pool::look_after() {
  for (list& list : m_lists) {
    std::vector<shared<runnable>> stale;
    std::size_t waiting = 0;
    bool long_ago = false;
    {
      std::lock_guard lock(list.mutex);
      while (shared<runnable> done = take_stale(list)) stale.push_back(std::move(done));
      const void* first = list.size() == 0 ? nullptr : list.front().address();
      list.looks = first == list.first_seen ? list.looks + 1 : 0;
      list.first_seen = first;
      if (first && list.looks > 0) waiting = list.size();
      long_ago = list.looks > most_looks;
    }
    if (waiting > 0)
      give_threads(waiting, long_ago ? most_workers : std::max<std::size_t>(1, sinter::usable_processors().size()));
  }
}

}  // namespace sycl::detail
