#pragma once
/// A SYCL graph, or one partition of a graph, as command buffers of the driver.

#include <backends/program.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cl_programs.hpp"
#include "command_buffers.hpp"

namespace sinter::opencl {

class cl_graph final : public device_program {
public:
  /// Makes the graph. Returns null and a reason if a step can't be recorded.
  static std::unique_ptr<cl_graph> make(cl_device_context& device, const command_buffers& functions,
                                        std::span<const program_step> steps, std::string& why);
  cl_graph(cl_device_context& device, const command_buffers& functions) noexcept
      : m_device(device), m_functions(functions) {}
  ~cl_graph() override;

  bool change(std::uint32_t step, const kernel_launch& to) override;
  /// Hands the graph over after the earlier work of `queue`, which is in order. Returns an event that the caller
  /// releases. `is_plain` says that the queue has no other properties than profiling.
  cl_event enqueue(cl_command_queue queue, bool measures, bool is_plain);
  std::span<const std::shared_ptr<failing_program>> may_fail() const noexcept { return m_may_fail; }

private:
  /// Native commands are added only during the first recording; later recordings have no `native`.
  struct step : recorded_step {
    std::vector<std::uint32_t> before;
    loaded_program* loaded = nullptr;
    void* block_memory = nullptr;  ///< memory for the argument block, if the code does not take it by value
  };
  /// The command buffer for one kind of queue. A queue accepts only command buffers that were recorded for a queue with
  /// the same properties.
  struct recording {
    cl_command_queue queue = nullptr;
    command_buffer commands = nullptr;
    std::vector<recorded_command> launches;  ///< the command of each step
  };
  enum queue_kind : std::uint8_t { in_order, measuring, concurrent, kinds };

  bool add(const program_step& added, std::string& why);
  recording& recorded_for(queue_kind kind);
  void release(const recording& its) const;
  void record(recording& to, queue_kind kind);
  void record_launch(recording& to, std::uint32_t at, std::span<const sync_point> before, sync_point* point);
  void record_memory(const recording& to, const memory_work& work, std::span<const sync_point> before,
                     std::vector<sync_point>& last);

  cl_device_context& m_device;
  const command_buffers& m_functions;
  std::vector<step> m_steps;
  recording m_recordings[kinds];
  queue_kind m_usual = in_order;
  /// Whether a step has native commands. The graph is then recorded only once, for queues of the kind m_usual.
  bool m_has_natives = false;
  std::vector<std::shared_ptr<failing_program>> m_may_fail;
};

}  // namespace sinter::opencl
