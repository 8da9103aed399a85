#pragma once
/// Measures how long the work in a stream takes. The timer records two events of the driver in this stream.

#include <atomic>
#include <backends/program.hpp>

#include "gpu_context.hpp"

namespace sinter::gpu {

class gpu_timer final : public device_timer {
public:
  explicit gpu_timer(gpu_context& gpu);
  ~gpu_timer() override;

  void start(stream_handle stream) noexcept;
  void stop(stream_handle stream) noexcept;
  std::uint64_t take() noexcept override;

private:
  gpu_context& m_gpu;
  event_handle m_start = nullptr, m_end = nullptr;
  bool m_is_started = false;  ///< used by the thread that hands work over
  std::atomic<bool> m_is_stopped{false};
};

}  // namespace sinter::gpu
