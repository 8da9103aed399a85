#pragma once
/// A stream of the driver. Events show whether work is complete. An event is recorded after every few launches, and
/// after any work for which a thread waits.

#include <atomic>
#include <backends/driver_stream.hpp>
#include <deque>
#include <vector>

#include "gpu_context.hpp"
#include "gpu_programs.hpp"

namespace sinter::gpu {

class gpu_stream final : public driver_stream {
public:
  /// `adopted` is a stream that the program has created and still owns; null: the constructor makes a stream.
  gpu_stream(gpu_context& gpu, bool measures, stream_handle adopted = nullptr);
  ~gpu_stream() override;

  void launch(const kernel_launch& launch) override;
  void run(const memory_work& work) override;
  void run(device_program& program) override;
  void start(device_timer& timer) noexcept override;
  void stop(device_timer& timer) noexcept override;
  void mark() override;
  void keep_places() noexcept override { m_awaited.store(true, std::memory_order_relaxed); }
  void wait(std::uint64_t ticket) override;
  command_times times(std::uint64_t ticket) override;

  void* native() noexcept override { return m_stream; }
  void* native_event() override;

private:
  struct mark_point {
    std::uint64_t ticket;
    event_handle event;
  };
  struct measurement {
    std::uint64_t ticket;
    event_handle start, end;
  };

  void look_for(std::uint64_t ticket) override;
  void* event_for_wait(std::uint64_t ticket) override;
  void wait_for_event(void* event, driver_stream& owner) override;
  const std::string& device_name() const noexcept override { return m_gpu.name(); }

  void bring_out_text(const mark_point& passed);
  event_handle take_event();
  void note(std::uint64_t ticket);
  event_handle event_behind(std::uint64_t ticket);
  void sweep();
  using driver_stream::fail;
  void fail(result_code result, const char* doing);
  bool copy_pageable(char* destination, const char* source, std::size_t bytes);
  void give_hint(const memory_hint& hint);
  void* meeting_place();
  event_handle begin_measuring();
  void end_measuring(event_handle start);

  gpu_context& m_gpu;
  stream_handle m_stream = nullptr;
  const bool m_adopted;
  const bool m_measures;
  void* m_meeting = nullptr;  ///< the value of abi::gpu_geometry::meeting for launches; only the thread that hands work
                              ///< over uses it

  /// True if each ticket (the number of one piece of work) needs an event of its own. Another stream may wait for one
  /// ticket. If the event of this ticket were recorded after later work, the other stream would wait too long. Adopted
  /// streams need an event for each ticket, because the program may destroy the stream while the runtime still asks
  /// which work is complete.
  std::atomic<bool> m_awaited{false};
  /// The latest ticket of a kernel that prints; 0: all text has been printed.
  std::atomic<std::uint64_t> m_printing{0};

  // The following members are protected by the mutex:
  std::deque<mark_point> m_marks;  ///< marks in the order of their tickets
  std::size_t m_next_sweep = 64;
  std::vector<event_handle> m_free;
  std::vector<event_handle> m_given;  ///< events that native_event has returned
  measured_work<measurement> m_measured;
  event_handle m_origin = nullptr;  ///< an event that was recorded at m_origin_time; null if the stream does not
                                    ///< measure times
  std::uint64_t m_origin_time = 0;
};

}  // namespace sinter::gpu
