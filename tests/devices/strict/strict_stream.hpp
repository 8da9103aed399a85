#pragma once
/// A stream of the strict driver: an open list that collects commands until they have to run, and lists that run.

#include <backends/driver_stream.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "driver.hpp"

namespace strict {

class strict_device;

/// The driver's objects of a stream. The objects outlive the stream, because submitted work may still run when the
/// stream is destroyed.
struct stream_objects {
  /// A command list that was submitted to the queue, and the event that the list signals at its end.
  struct piece {
    std::uint64_t last;  ///< ticket of the last command
    std::unique_ptr<command_list> list;
    std::unique_ptr<event> done;
    std::vector<std::pair<std::uint64_t, std::size_t>> commands;  ///< each command's ticket, and its place in the list
  };
  std::unique_ptr<queue> runs;
  std::deque<piece> pieces;
  std::vector<piece> used;  ///< complete lists; later commands may still have to wait for their events
  std::shared_ptr<sinter::stream_progress> progress;
  std::shared_ptr<sinter::stream_waits> waits;

  /// Whether the stream has no work left and no command waits for its events. Also records which work is complete.
  bool can_go();
};

class strict_stream final : public sinter::driver_stream {
public:
  strict_stream(strict_device& device, const sinter::stream_use& use);
  ~strict_stream() override;

  void launch(const sinter::kernel_launch& launch) override;
  void run(const sinter::memory_work& work) override;
  void mark() override;
  void flush() noexcept override;
  void wait(std::uint64_t ticket) override;
  sinter::command_times times(std::uint64_t ticket) override;

private:
  using piece = stream_objects::piece;
  void look_for(std::uint64_t ticket) override;
  void* event_for_wait(std::uint64_t ticket) override;
  void wait_for_event(void* awaited, driver_stream& owner) override;
  const std::string& device_name() const noexcept override;

  command_list& open_list();
  void count_command();
  void close_list();
  void take_results(const piece& done);
  piece take_piece();

  struct measurement {
    std::uint64_t ticket;
    sinter::command_times times;
  };
  strict_device& m_device;
  const sinter::stream_use m_use;
  const engine m_engine;

  // The following members are protected by the mutex:
  std::unique_ptr<stream_objects> m_objects;
  piece m_open{};  ///< collects commands; its list is null while there are no commands
  std::uint64_t m_flushed = 0;
  sinter::measured_work<measurement> m_measured;
};

}  // namespace strict
