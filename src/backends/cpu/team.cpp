#include "team.hpp"

#include <sched.h>

#include <algorithm>
#include <base/environment.hpp>
#include <base/processor.hpp>
#include <base/processors.hpp>
#include <base/race_notes.hpp>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace sinter {
namespace {

using clock = std::chrono::steady_clock;

// Helpers stay awake this long after a launch: long enough for most programs to launch the next kernel, and too short
// to slow down other threads much.
constexpr auto time_awake = std::chrono::microseconds(100);
// After this time, helpers that are awake yield their processor to other threads from time to time.
constexpr auto time_unshared = std::chrono::microseconds(10);
constexpr unsigned looks_per_clock = 32;
// The caller polls this many times for the end of the work before it sleeps. This polling takes about as long as
// falling asleep and being woken.
constexpr unsigned looks_for_end = 1024;

constexpr std::uint64_t pack(std::uint64_t first, std::uint64_t last) noexcept { return first << 32 | last; }
constexpr std::uint32_t first_of(std::uint64_t left) noexcept { return static_cast<std::uint32_t>(left >> 32); }
constexpr std::uint32_t last_of(std::uint64_t left) noexcept { return static_cast<std::uint32_t>(left); }

}  // namespace

bool team::is_awake() const noexcept {
  return m_members.size() > 1 && m_members[1].now.load(std::memory_order_relaxed) == idle;
}

unsigned team::start_helpers(unsigned wanted) {
  wanted = std::min(wanted, most_helpers());
  if (m_started < wanted) usable_processors();
  while (m_started < wanted) {
    try {
      std::thread([this, mine = m_started + 1] { help(mine); }).detach();
    } catch (const std::system_error&) {
      break;  // the threads that exist share all the work
    }
    ++m_started;
  }
  return std::min(wanted, m_started);
}

void team::run_pieces(std::uint32_t pieces, unsigned helpers) {
  helpers = start_helpers(helpers);
  m_count = helpers + 1;
  m_failed.store(false, std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < m_count; ++i) {
    m_members[i].left.store(pack(pieces * i / m_count, pieces * (i + 1) / m_count), std::memory_order_relaxed);
  }
  m_processor.store(sched_getcpu(), std::memory_order_relaxed);
  note_release(this);
  for (unsigned i = 1; i < m_count; ++i) {
    std::atomic<std::uint32_t>& helper = m_members[i].now;
    if (helper.exchange(called) == asleep) helper.notify_one();
  }
  work(0);
  for (unsigned i = 1; i < m_count; ++i) await_end(m_members[i]);
  if (m_failed.load(std::memory_order_relaxed)) std::rethrow_exception(std::exchange(m_error, nullptr));
}

void team::help(unsigned mine) {
  if (environment().affinity) {
    pin_worker(mine);
  } else {
    use_all_processors();
  }
  member& self = m_members[mine];
  for (;;) {
    await_call(self);
    std::uint32_t expected = called;
    if (!self.now.compare_exchange_strong(expected, working)) continue;
    note_acquire(this);
    work(mine);
    note_release(&self);
    self.now.exchange(idle);
    self.now.notify_one();
  }
}

void team::work(unsigned mine) noexcept {
  std::atomic<std::uint64_t>& own = m_members[mine].left;
  do {
    std::uint64_t left = own.load(std::memory_order_relaxed);
    while (first_of(left) < last_of(left)) {
      const std::uint32_t piece = first_of(left);
      if (!own.compare_exchange_weak(left, pack(piece + 1, last_of(left)), std::memory_order_relaxed)) continue;
      try {
        if (!m_failed.load(std::memory_order_relaxed)) m_run(m_body, piece);
      } catch (...) {
        std::lock_guard lock(m_error_mutex);
        m_error = std::current_exception();
        m_failed.store(true, std::memory_order_relaxed);
      }
      left = own.load(std::memory_order_relaxed);
    }
  } while (take_from_others(mine));
}

bool team::take_from_others(unsigned mine) noexcept {
  for (unsigned k = 1; k < m_count; ++k) {
    std::atomic<std::uint64_t>& other = m_members[(mine + k) % m_count].left;
    std::uint64_t left = other.load(std::memory_order_relaxed);
    while (first_of(left) < last_of(left)) {
      // The calling thread takes the second half of the other member's pieces, and the other member continues in the
      // first half. A member never has the same interval twice during a launch, so compare_exchange cannot mistake an
      // old value for a new one (the ABA problem).
      const std::uint32_t middle = first_of(left) + (last_of(left) - first_of(left)) / 2;
      if (!other.compare_exchange_weak(left, pack(first_of(left), middle), std::memory_order_relaxed)) continue;
      m_members[mine].left.store(pack(middle, last_of(left)), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void team::await_call(member& self) const {
  auto start = clock::now();
  for (unsigned looks = 1; self.now.load(std::memory_order_relaxed) != called; ++looks) {
    pause_processor();
    if (looks % looks_per_clock != 0) continue;
    const auto waited = clock::now() - start;
    if (waited < time_unshared) continue;
    if (waited < time_awake) {
      std::this_thread::yield();
      leave_caller(self);
      continue;
    }
    std::uint32_t expected = idle;
    if (self.now.compare_exchange_strong(expected, asleep)) self.now.wait(asleep);
    leave_caller(self);
    start = clock::now();
  }
}

/// Moves a helper away from the caller's processor. The operating system may schedule the helper on the processor that
/// the caller is using, even while other processors are idle. Such a helper would always begin too late.
void team::leave_caller(const member& self) const {
  if (self.missed.load(std::memory_order_relaxed) == 0 || environment().affinity) return;
  const int here = sched_getcpu();
  if (here >= 0 && here == m_processor.load(std::memory_order_relaxed)) leave_processor(here);
}

void team::await_end(member& helper) {
  // A helper that has not begun yet is no longer needed, so the caller takes back the call to this helper.
  std::uint32_t seen = called;
  if (helper.now.compare_exchange_strong(seen, idle)) {
    // If a helper misses several launches, it may be waiting for the caller's processor, so the caller yields the
    // processor.
    if (helper.missed.fetch_add(1, std::memory_order_relaxed) > 0) std::this_thread::yield();
    return;
  }
  helper.missed.store(0, std::memory_order_relaxed);
  for (unsigned looks = 0; helper.now.load(std::memory_order_acquire) == working; ++looks) {
    if (looks < looks_for_end) {
      pause_processor();
    } else {
      helper.now.wait(working, std::memory_order_acquire);
    }
  }
  note_acquire(&helper);
}

}  // namespace sinter
