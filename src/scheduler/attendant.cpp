#include "attendant.hpp"

#include <algorithm>
#include <base/processors.hpp>
#include <base/race_notes.hpp>
#include <chrono>
#include <thread>

#include "device_memory.hpp"
#include "worker_pool.hpp"

namespace sycl::inline _V1::detail {
namespace {

constexpr std::chrono::microseconds between_looks(100);
// If the attendant has found no work this many times in a row, it sleeps or stops attending a stream. The number is
// large because a submitting thread loses time whenever it has to wake the attendant.
constexpr unsigned idle_looks = 64;

}  // namespace

attendant& attendant::instance() {
  static auto* one = new (sinter::lasting) attendant;  // never destroyed, because its thread never ends
  return *one;
}

void attendant::attend(const shared<command_stream>& attended) {
  std::lock_guard lock(m_mutex);
  if (attended->m_attended.exchange(true)) return;
  attended->m_idle_looks = 0;
  m_streams.push_back(attended);
  if (attended->works_by_itself()) ++m_on_devices;
  start();
}

void attendant::forget(command_stream& idle) {
  shared<command_stream> dropped;
  std::lock_guard lock(m_mutex);
  const auto found =
      std::find_if(m_streams.begin(), m_streams.end(), [&](const auto& each) { return each.get() == &idle; });
  if (found == m_streams.end()) return;
  idle.m_idle_looks = idle_looks;
  if (!leaves(idle)) return;
  dropped = std::move(*found);
  m_streams.erase(found);
  if (dropped->works_by_itself()) --m_on_devices;
}

std::vector<shared<command_stream>> attendant::streams() {
  std::lock_guard lock(m_mutex);
  return m_streams;
}

void attendant::wake() noexcept {
  std::lock_guard lock(m_mutex);
  start();
}

void attendant::start() {
  if (!m_asleep.load()) return;
  m_asleep.store(false);
  if (m_started) return m_changed.notify_one();
  m_started = true;
  sinter::usable_processors();  // has to be called before use_all_processors()
  std::thread([this] {
    sinter::use_all_processors();
    run();
  }).detach();
}

bool attendant::leaves(command_stream& visited) {
  const std::uint64_t completed = visited.m_completed.load();
  const bool moved = completed != visited.m_last_seen;
  visited.m_last_seen = completed;
  if (!visited.is_idle()) {
    visited.m_idle_looks = 0;
    if (!moved && !visited.works_by_itself()) visited.hurry();
    return false;
  }
  if (moved) visited.m_idle_looks = 0;
  if (++visited.m_idle_looks <= idle_looks) return false;
  visited.m_attended.store(false);
  // Another thread may have pushed a command while the stream was still marked as attended.
  if (visited.is_idle()) return true;
  visited.m_attended.store(true);
  return false;
}

void attendant::look_at_devices() {
  for (const shared<command_stream>& each : streams()) {
    if (each->works_by_itself()) each->retire();
  }
}

void attendant::look_at_unserved() {
  for (const shared<command_stream>& each : streams()) {
    if (each->works_by_itself() && !each->is_served()) each->retire();
  }
}

void attendant::run() {
  worker_pool& pool = worker_pool::instance();
  std::unique_lock lock(m_mutex);
  for (unsigned idle = 0;;) {
    idle = m_streams.empty() && pool.is_empty() ? idle + 1 : 0;
    if (idle > idle_looks) {
      m_asleep.store(true);
      // Threads push work first and then check whether the attendant is asleep, so the attendant has to check the pool
      // again here.
      if (!pool.is_empty()) m_asleep.store(false);
      lock.unlock();
      free_all_kept();
      lock.lock();
      m_changed.wait(lock, [&] { return !m_asleep.load(); });
      idle = 0;
    }
    lock.unlock();
    std::this_thread::sleep_for(between_looks);
    std::vector<shared<command_stream>> left;
    lock.lock();
    if (m_on_devices != 0) {
      lock.unlock();
      look_at_unserved();
      lock.lock();
    }
    std::erase_if(m_streams, [&](shared<command_stream>& each) {
      // `m_served` says that a thread has submitted to the stream and called retire_in_passing since the last look.
      // Such a stream is not idle.
      if (each->m_served.exchange(false, std::memory_order_relaxed)) return false;
      if (!leaves(*each)) return false;
      if (each->works_by_itself()) --m_on_devices;
      left.push_back(std::move(each));
      return true;
    });
    lock.unlock();
    pool.look_after();
    for (const shared<command_stream>& each : left) each->left_alone();
    left.clear();
    lock.lock();
  }
}

}  // namespace sycl::detail
