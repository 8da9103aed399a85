#pragma once
/// Part of a graph as a closed list of commands, which is made once and executed for each replay.

#include <backends/program.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ze_programs.hpp"

namespace sinter::level_zero {

class ze_graph final : public device_program {
public:
  /// Makes the graph; null with a reason where a step can't be recorded.
  static std::unique_ptr<ze_graph> make(ze_device_context& device, std::span<const program_step> steps,
                                        std::string& why);
  explicit ze_graph(ze_device_context& device) noexcept : m_device(device) {}
  ~ze_graph() override;

  bool change(std::uint32_t step, const kernel_launch& to) override;

  /// A list must not be executed again while it runs, so there are several of them.
  struct recording {
    ze_command_list_handle_t commands = nullptr;
    /// Queues take no events: the list waits for `begin` and signals `end`. Null where lists are appended.
    ze_event_handle_t begin = nullptr, end = nullptr;
    ze_event_handle_t done = nullptr;     ///< nothing of the replay needs the list and its events any more
    bool is_used = false;                 ///< `done` says whether it is free again
    std::vector<std::uint64_t> launches;  ///< the driver's number of each step's, where it can be changed
    std::vector<void*> blocks;            ///< each step's block, if its code does not take it by value; otherwise null
  };
  /// Returns a list that is free, with events that are not signalled. Waits for a replay if there are too many lists to
  /// make another one.
  recording& take();
  /// Hands a replay over to a list, between two barriers. `queue` is not used where lists are appended.
  void replay(recording& its, ze_command_list_handle_t immediate, ze_command_queue_handle_t queue);
  /// A replay failed after a part of it was handed over, so nobody knows when it is free.
  void abandon(recording& its);
  void count_launches() const;
  std::span<const std::shared_ptr<failing_program>> may_fail() const noexcept { return m_may_fail; }

private:
  struct step {
    kernel_launch launch;       ///< without a kernel: memory, or nothing
    const memory_work* memory;  ///< null: a launch
    std::uint32_t level = 0;    ///< steps that it waits for have smaller levels
    loaded_kernel* loaded = nullptr;
    const native_addition* native = nullptr;  ///< instead of both, while it is recorded

    bool does_nothing() const noexcept;
  };

  void add(const program_step& added);
  recording& record();
  void record_launch(recording& to, std::uint32_t at);
  void record_memory(const recording& to, const memory_work& work) const;
  void barrier(ze_command_list_handle_t list, ze_event_handle_t signalled, ze_event_handle_t awaited) const;
  void release(recording& its) noexcept;
  bool change(recording& its, std::uint32_t at, const prepared_launch& now);

  ze_device_context& m_device;
  std::vector<step> m_steps;
  std::uint32_t m_levels = 0;
  std::vector<std::unique_ptr<recording>> m_recordings;
  bool m_has_natives = false;  ///< recorded once
  std::vector<std::shared_ptr<failing_program>> m_may_fail;
};

}  // namespace sinter::level_zero
