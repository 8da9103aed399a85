#include "device_memory.hpp"

#include <algorithm>
#include <atomic>
#include <base/kept_blocks.hpp>
#include <base/race_notes.hpp>
#include <base/running.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "attendant.hpp"
#include "device_channel.hpp"
#include "run_mark.hpp"
#include "scheduler.hpp"
#include "submission_queue.hpp"
#include "transfers.hpp"
#include "worker_pool.hpp"

namespace sycl::inline _V1::detail {
namespace {

using std::chrono::steady_clock;

// The search for memory gives up after this time, because it might last for ever: host code that holds memory may wait
// for the searching thread, and the search cannot detect such waits.
constexpr std::chrono::seconds patience(10);
// The length of the last wait, in which other threads have time to submit a command or release a buffer.
constexpr std::chrono::milliseconds last_moment(10);
constexpr std::chrono::microseconds shortest_sleep(50), longest_sleep(2000);
// A waiting thread tests its condition repeatedly. Once in this many tests, the thread also determines anew which
// commands wait for which threads.
constexpr unsigned looks_per_question = 16;

struct returns {
  std::atomic<std::uint64_t> count{0};  ///< changes under the mutex while a thread searches
  std::atomic<unsigned> searching{0};
  std::mutex mutex;  // protects the members below
  std::condition_variable changed;
  std::set<std::size_t> kept;  ///< the numbers of the existing kept_memory objects
  std::size_t last_number = 0;

  static returns& instance() {
    static auto* all = new (sinter::lasting) returns;
    return *all;
  }
};

std::atomic<std::vector<shared<submission_queue>> (*)()> queue_source{nullptr};

/// Keeps memory for the next buffers. It is never destroyed, because static buffers may be destroyed late.
class kept_for_buffers {
public:
  using block = sinter::kept_blocks::block;

  static kept_for_buffers& instance() {
    static auto* all = new (sinter::lasting) kept_for_buffers;
    return *all;
  }

  /// Adds a block. Returns the blocks that exceed the device's limit; the caller frees them.
  std::vector<block> add(sinter::device_backend& device, const block& added) {
    const std::size_t most = device.facts().global_memory_bytes / part_of_memory;
    std::lock_guard lock(m_mutex);
    return m_devices[&device].add(added, most);
  }

  void* take(sinter::device_backend& device, std::size_t bytes) {
    std::lock_guard lock(m_mutex);
    return m_devices[&device].take(bytes);
  }

  /// Frees the blocks of a device, or the blocks of all devices if `only` is null. Returns false if no block was kept.
  bool free_all(sinter::device_backend* only) {
    std::map<sinter::device_backend*, sinter::kept_blocks> taken;
    {
      std::lock_guard lock(m_mutex);
      if (only) {
        std::swap(taken[only], m_devices[only]);
      } else {
        taken.swap(m_devices);
      }
    }
    bool any = false;
    for (const auto& [device, kept] : taken) {
      for (const block& each : kept.blocks()) device->deallocate(each.memory);
      any |= !kept.blocks().empty();
    }
    return any;
  }

private:
  // At most this fraction of a device's memory is kept: 1 / 16.
  static constexpr std::size_t part_of_memory = 16;
  std::mutex m_mutex;
  std::map<sinter::device_backend*, sinter::kept_blocks> m_devices;
};

void note_return() noexcept {
  returns& all = returns::instance();
  if (all.searching.load() == 0) {
    all.count.fetch_add(1);
    return;
  }
  std::lock_guard lock(all.mutex);
  all.count.fetch_add(1);
  all.changed.notify_all();
}

/// Submitted work that may keep memory alive.
struct holder_of_memory {
  dependency what;  ///< unset for work in a device's channel (see `channel` and `ticket`)
  shared<submission_queue> queue;
  device_channel* channel = nullptr;
  std::uint64_t ticket = 0;

  bool has_let_go() const {
    if (channel) return channel->has_let_go(ticket);
    if (!what.is_complete()) return false;
    const device_point point = what.handed_over();
    return !what.node || !point.channel || point.channel->has_let_go(point.ticket);
  }
  prospect will() const {
    if (!channel) return prospect_of(what);
    // If the device has completed the work, a host thread is finishing the command. It is not sure that the thread ever
    // finishes, because it may be running code of the program.
    return channel->is_complete(ticket) ? prospect::unsure : prospect::sure;
  }
};

std::deque<holder_of_memory> all_holders() {
  std::deque<holder_of_memory> all;
  std::vector<shared<submission_queue>> queues = transfer_queues();
  if (const auto of_program = queue_source.load()) {
    for (shared<submission_queue>& each : of_program()) queues.push_back(std::move(each));
  }
  for (const shared<submission_queue>& queue : queues) {
    // The nodes are listed before the channels. A node that is handed over to a channel between the two steps is then
    // covered by the channel's latest ticket.
    for (dependency& each : queue->unfinished()) all.push_back({std::move(each), {}});
    for (const auto& each : queue->channels()) all.push_back({{}, queue, each.get(), each->latest()});
  }
  return all;
}

class memory_search {
public:
  memory_search(finisher by, const std::function<bool()>& attempt) : m_by(by), m_attempt(attempt) {
    m_returns.searching.fetch_add(1);
  }
  memory_search(const memory_search&) = delete;
  ~memory_search() { m_returns.searching.fetch_sub(1); }

  bool run() {
    const auto start = steady_clock::now();
    for (;;) {
      const std::uint64_t before = m_returns.count.load();
      if (wait_for_holders() || wait_for_kept() || try_again()) return true;
      // If memory was freed and the attempt failed nevertheless, another thread may have taken this memory for a new
      // command. That command will free the memory later.
      if (m_returns.count.load() == before || steady_clock::now() - start > patience) break;
    }
    return wait([] { return false; }, last_moment);
  }

private:
  /// Waits for all commands submitted so far to release their memory, except for commands that can't complete during
  /// this wait. Returns true if the allocation has succeeded.
  bool wait_for_holders() {
    std::deque<holder_of_memory> holders = all_holders();
    // Automatic lists and fused commands are held back until a thread needs them. They are let go here.
    for (const holder_of_memory& each : holders) {
      if (each.what.node) let_go_for_others(each.what.node);
    }
    m_gave_up = false;
    auto moved = steady_clock::now();
    unsigned looks = 0;
    return wait(
        [&] {
          while (!holders.empty() && holders.front().has_let_go()) {
            holders.pop_front();
            moved = steady_clock::now();
            looks = 0;
          }
          while (!holders.empty() && looks++ % looks_per_question == 0) {
            const prospect will = holders.front().will();
            if (will == prospect::sure) moved = steady_clock::now();
            if (will != prospect::never && steady_clock::now() - moved <= patience) break;
            m_gave_up = true;
            holders.pop_front();
            looks = 0;
          }
          return holders.empty();
        },
        steady_clock::duration::max());
  }

  /// Waits for all kept_memory objects. Such an object exists if the program has freed memory that commands still used;
  /// the object frees the memory when these commands are complete.
  bool wait_for_kept() {
    std::size_t last = 0;
    {
      std::lock_guard lock(m_returns.mutex);
      last = m_returns.last_number;
    }
    return wait(
        [&] {
          std::lock_guard lock(m_returns.mutex);
          return m_returns.kept.empty() || *m_returns.kept.begin() > last;
        },
        m_gave_up ? steady_clock::duration(last_moment) : patience);
  }

  bool try_again() {
    m_tried = m_returns.count.load();
    return m_attempt();
  }

  /// Waits for a condition, and attempts the allocation whenever memory is freed. Returns true if an attempt has
  /// succeeded, and false when the condition holds or the time is up.
  template <class Condition>
  bool wait(const Condition& is_over, steady_clock::duration longest) {
    const auto start = steady_clock::now();
    for (auto rest = shortest_sleep;; rest = std::min(2 * rest, longest_sleep)) {
      if (m_by == finisher::caller) attendant::instance().look_at_devices();
      if (m_returns.count.load() != m_tried && try_again()) return true;
      if (is_over() || steady_clock::now() - start > longest) return false;
      const sleeping_scope sleeps;
      worker_pool::instance().add_sleeper();
      {
        std::unique_lock lock(m_returns.mutex);
        m_returns.changed.wait_for(lock, rest, [&] { return m_returns.count.load() != m_tried; });
      }
      worker_pool::instance().drop_sleeper();
    }
  }

  returns& m_returns = returns::instance();
  const searching_mark m_mark;
  const finisher m_by;
  const std::function<bool()>& m_attempt;
  std::uint64_t m_tried = ~std::uint64_t{0};  ///< m_returns.count at the last attempt
  bool m_gave_up = false;                     ///< the search has stopped waiting for at least one command's memory
};

}  // namespace

bool find_memory(sinter::device_backend& device, std::size_t bytes, finisher by, const std::function<bool()>& attempt) {
  if (attempt()) return true;
  if (!device.has_own_memory()) return false;
  const std::function<bool()> again = [&] {
    return attempt() || (kept_for_buffers::instance().free_all(&device) && attempt());
  };
  // If the request is larger than the device's memory, waiting is useless.
  return again() || (bytes <= device.facts().global_memory_bytes && memory_search(by, again).run());
}

void* allocate_memory(sinter::device_backend& device, sinter::memory_kind kind, std::size_t bytes,
                      std::size_t alignment, finisher by) {
  void* memory = nullptr;
  const std::size_t of_device = kind == sinter::memory_kind::device ? bytes : 0;
  (void)find_memory(device, of_device, by,
                    [&] { return (memory = device.allocate(kind, bytes, alignment)) != nullptr; });
  return memory;
}

void give_back(sinter::device_backend& device, void* memory) noexcept {
  device.deallocate(memory);
  note_return();
}

void keep_for_buffers(sinter::device_backend& device, void* memory, std::size_t bytes) noexcept {
  for (const auto& each : kept_for_buffers::instance().add(device, {memory, bytes})) device.deallocate(each.memory);
  // The attendant frees kept memory when it falls asleep. The attendant may have fallen asleep just before the block
  // was added. In this case, the attendant wakes up only when the next command is submitted, so the block is freed
  // here.
  if (attendant::instance().is_asleep()) free_all_kept();
  note_return();
}

void* take_kept(sinter::device_backend& device, std::size_t bytes) noexcept {
  return kept_for_buffers::instance().take(device, bytes);
}

void free_all_kept() noexcept { (void)kept_for_buffers::instance().free_all(nullptr); }

void find_queues_by(std::vector<shared<submission_queue>> (*queues)()) { queue_source.store(queues); }

kept_memory::kept_memory() {
  returns& all = returns::instance();
  std::lock_guard lock(all.mutex);
  m_number = ++all.last_number;
  all.kept.insert(m_number);
}

kept_memory::~kept_memory() {
  returns& all = returns::instance();
  std::lock_guard lock(all.mutex);
  all.kept.erase(m_number);
}

}  // namespace sycl::detail
