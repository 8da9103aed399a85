#pragma once
/// A command queue of OpenCL. The work of each ticket has an event that shows whether the work is complete.

#include <backends/driver_stream.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "cl_graph.hpp"
#include "cl_programs.hpp"

namespace sinter::opencl {

class cl_stream final : public driver_stream {
public:
  cl_stream(cl_device_context& device, bool measures);
  /// Makes a stream from a queue that the program has created, and retains the queue. Throws errc::invalid if the queue
  /// belongs to another device. If the queue is not in order, the stream makes an in-order queue of its own, and the
  /// program's queue waits for the stream's work.
  cl_stream(cl_device_context& device, bool measures, cl_command_queue native);
  ~cl_stream() override;

  void launch(const kernel_launch& launch) override;
  void run(const memory_work& work) override;
  void run(device_program& program) override;
  void mark() override;
  void wait(std::uint64_t ticket) override;
  command_times times(std::uint64_t ticket) override;
  void* native() noexcept override { return m_followed_by ? m_followed_by : m_queue; }
  /// Returns an event that the caller releases.
  void* native_event() override;

private:
  struct piece {
    std::uint64_t ticket;
    cl_event event;
    std::unique_ptr<unsigned char[]> pattern;  ///< the device reads it until the piece is complete
    std::size_t block = no_block;              ///< number in m_blocks
    std::size_t report = no_block;             ///< index into m_reports, if the piece's work-items may fail
    std::unique_ptr<abi::gpu_failure> failed;  ///< the host's copy of the report
    cl_event launched = nullptr;               ///< the launch's event, if `event` belongs to the copy of its report
  };
  /// Memory for failure reports of a program's work-items. The host can't read this memory, so each launch is followed
  /// by a command that copies the report to the host.
  struct report_memory {
    std::shared_ptr<failing_program> of;
    void* data;
    bool is_written = false;        ///< the memory contains a report that the host has seen
    /// The copies that belong to tickets up to this ticket may still contain the previous report, and are ignored.
    std::uint64_t known_until = 0;
  };
  /// Memory for an argument block that the driver does not take by value.
  struct block_memory {
    void* data;
    std::size_t bytes;
    bool is_used;
  };
  static constexpr std::size_t no_block = ~std::size_t{0};

  void look_for(std::uint64_t) override { sweep(); }
  void* event_for_wait(std::uint64_t ticket) override { return event_of(ticket); }
  void drop_event(void* event) override { m_device.functions().clReleaseEvent(static_cast<cl_event>(event)); }
  void wait_for_event(void* event, driver_stream& owner) override;
  const std::string& device_name() const noexcept override { return m_device.name(); }

  void make_queue();
  void start_clock();
  void note(piece added);
  void note(cl_event event) { note({.ticket = 0, .event = event, .pattern = nullptr, .failed = nullptr}); }
  std::size_t take_report(loaded_program& loaded);
  void look_at_report(const piece& done);
  void release(const piece& done) const;
  std::size_t take_block(std::size_t bytes);
  void* allocate(std::size_t bytes, const char* what);
  cl_event event_of(std::uint64_t ticket);
  void sweep();
  using driver_stream::fail;
  void fail(cl_int result, const char* doing) { fail(doing, text_of(result)); }
  [[noreturn]] void refuse_pointers(const char* what) const;
  cl_event copy(const abi::strided_copy& work);
  cl_event fill(const memory_fill& work, std::unique_ptr<unsigned char[]>& pattern);

  cl_device_context& m_device;
  cl_command_queue m_queue = nullptr, m_followed_by = nullptr;
  const bool m_measures, m_is_own;
  std::int64_t m_clock_offset = 0;          ///< host's clock minus device's clock

  // The following members are protected by the mutex:
  std::deque<piece> m_pieces;  ///< pieces that may be incomplete, in order
  measured_work<piece> m_measured;
  std::vector<block_memory> m_blocks;
  std::vector<report_memory> m_reports;
};

}  // namespace sinter::opencl
