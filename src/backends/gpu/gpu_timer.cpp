#include "gpu_timer.hpp"

#include <algorithm>

namespace sinter::gpu {

gpu_timer::gpu_timer(gpu_context& gpu) : m_gpu(gpu) {
  gpu.use();
  for (event_handle* each : {&m_start, &m_end})
    gpu.check(gpu.functions().make_event(each, 0), [] { return "making an event"; });
}

gpu_timer::~gpu_timer() {
  if (m_gpu.try_to_use() != success) return;
  for (event_handle each : {m_start, m_end}) {
    if (each) m_gpu.functions().destroy_event(each);
  }
}

void gpu_timer::start(stream_handle stream) noexcept {
  m_is_started = m_gpu.try_to_use() == success && m_gpu.functions().record_event(m_start, stream) == success;
}

void gpu_timer::stop(stream_handle stream) noexcept {
  if (!m_is_started || m_gpu.try_to_use() != success) return;
  if (m_gpu.functions().record_event(m_end, stream) == success) m_is_stopped.store(true, std::memory_order_release);
}

std::uint64_t gpu_timer::take() noexcept {
  if (!m_is_stopped.load(std::memory_order_acquire) || m_gpu.try_to_use() != success) return 0;
  float milliseconds = 0;
  if (m_gpu.functions().query_event(m_end) != success ||
      m_gpu.functions().measure_time(&milliseconds, m_start, m_end) != success) {
    return 0;
  }
  m_is_stopped.store(false, std::memory_order_relaxed);
  return static_cast<std::uint64_t>(std::max(static_cast<double>(milliseconds) * 1e6, 1.0));
}

}  // namespace sinter::gpu
