#include "driver_stream.hpp"

#include <sycl/exception_classes.hpp>

namespace sinter {

void stream_waits::add(std::uint64_t awaited, std::shared_ptr<const stream_progress> who, std::uint64_t ticket) {
  std::lock_guard lock(m_mutex);
  m_waits.push_back({awaited, std::move(who), ticket});
  m_has_waits.store(true, std::memory_order_release);
}

bool stream_waits::has_any(std::uint64_t ticket) {
  // `add` is called under the mutex of the stream, and so is this function while the stream exists.
  if (!m_has_waits.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(m_mutex);
  std::erase_if(m_waits,
                [](const wait& each) { return each.who->done.load() >= each.ticket || each.who->lost.load(); });
  m_has_waits.store(!m_waits.empty(), std::memory_order_release);
  return std::any_of(m_waits.begin(), m_waits.end(), [&](const wait& each) { return each.awaited <= ticket; });
}

bool driver_stream::is_complete(std::uint64_t ticket) {
  if (done() >= ticket || is_lost()) return true;
  std::lock_guard lock(m_mutex);
  look_for(ticket);
  return done() >= ticket || is_lost();
}

void driver_stream::wait_for(device_stream& other, std::uint64_t ticket) {
  auto& before = static_cast<driver_stream&>(other);
  if (before.is_complete(ticket)) return;
  void* event = nullptr;
  {
    std::lock_guard lock(before.m_mutex);
    event = before.event_for_wait(ticket);
    if (event && before.m_events == event_use::reset) {
      before.m_waits->add(ticket, m_progress, m_latest.load(std::memory_order_relaxed) + 1);
    }
  }
  if (!event) return;
  try {
    wait_for_event(event, before);
  } catch (...) {
    before.drop_event(event);
    throw;
  }
  before.drop_event(event);
}

std::exception_ptr driver_stream::take_error() {
  std::lock_guard lock(m_mutex);
  for (const auto& each : m_may_fail) {
    if (std::exception_ptr failed = each->take(device_name())) note_error(failed);
  }
  return std::exchange(m_error, nullptr);
}

void driver_stream::fail(const char* doing, const std::string& why) {
  if (m_progress->lost.exchange(true)) return;
  m_error = std::make_exception_ptr(sycl::runtime_error(
      sycl::make_error_code(sycl::errc::runtime), "device '" + device_name() + "': " + doing + " failed: " + why));
}

void driver_stream::listen_to(const std::shared_ptr<failing_program>& program) {
  if (!program || std::find(m_may_fail.begin(), m_may_fail.end(), program) != m_may_fail.end()) return;
  std::lock_guard lock(m_mutex);
  // Programs that have been unloaded report no failures.
  std::erase_if(m_may_fail, [](const auto& each) { return each->is_closed(); });
  m_may_fail.push_back(program);
}

}  // namespace sinter
