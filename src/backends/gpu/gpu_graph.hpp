#pragma once
/// A graph of the driver that does the work of a SYCL graph, or of one partition of a SYCL graph.

#include <backends/program.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_programs.hpp"

namespace sinter::gpu {

class gpu_graph final : public device_program {
public:
  /// Makes a graph of the driver. Returns null and a reason if the driver has no node for a step.
  static std::unique_ptr<gpu_graph> make(gpu_context& gpu, std::span<const program_step> steps, std::string& why);
  explicit gpu_graph(gpu_context& gpu) noexcept : m_gpu(gpu) {}
  ~gpu_graph() override;

  bool change(std::uint32_t step, const kernel_launch& to) override;
  void launch(stream_handle stream);
  std::span<const std::shared_ptr<failing_program>> may_fail() const noexcept { return m_may_fail; }
  bool prints() const noexcept { return m_prints; }

private:
  struct step {
    kernel_launch launch;                ///< has no kernel if the step is an operation on memory or has no work
    std::vector<node_handle> last;       ///< nodes that have to be complete before the step is complete
  };
  bool add(const program_step& added);
  void add_native(const native_addition& native, std::span<const node_handle> before, std::vector<node_handle>& last);
  bool add_memory(const memory_work& work, std::span<const node_handle> before, std::vector<node_handle>& last);
  void note(loaded_program& loaded);

  gpu_context& m_gpu;
  graph_handle m_graph = nullptr;
  executable_handle m_executable = nullptr;
  std::vector<step> m_steps;
  std::vector<std::shared_ptr<failing_program>> m_may_fail;
  bool m_prints = false;
};

}  // namespace sinter::gpu
