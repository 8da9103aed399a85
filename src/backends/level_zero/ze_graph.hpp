#pragma once
/// A SYCL graph, or one partition of a graph, as a closed command list. The list is recorded once and executed for each
/// replay.

#include <backends/program.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ze_programs.hpp"

namespace sinter::level_zero {

class ze_graph final : public device_program {
public:
  /// Makes the graph. Returns null and a reason if a step can't be recorded.
  static std::unique_ptr<ze_graph> make(ze_device_context& device, std::span<const program_step> steps,
                                        std::string& why);
  explicit ze_graph(ze_device_context& device) noexcept : m_device(device) {}
  ~ze_graph() override;

  bool change(std::uint32_t step, const kernel_launch& to) override;

  /// One recorded command list. A list must not be executed again while it runs, so a graph may have several
  /// recordings.
  struct recording {
    ze_command_list_handle_t commands = nullptr;
    /// Used if lists are executed in a command queue. The function that executes lists takes no events, so the list
    /// itself waits for `begin` and signals `end`. Null if lists are appended to immediate lists.
    ze_event_handle_t begin = nullptr, end = nullptr;
    ze_event_handle_t done = nullptr;     ///< signalled when the replay no longer uses the list and its events
    bool is_used = false;                 ///< the list was handed over; `done` shows whether it is free again
    std::vector<std::uint64_t> launches;  ///< the driver's command id of each step's launch, if launches can be changed
    /// For each step: memory for the argument block, if the code does not take the block by value; otherwise null.
    std::vector<void*> blocks;
  };
  /// Returns a recording that is not running, with events that are not signalled. Makes a new recording if all
  /// recordings are running. If there are too many recordings already, waits until a replay is complete.
  recording& take();
  /// Hands a replay over to the immediate list, between two barriers. `queue` is not used if lists are appended to the
  /// immediate list.
  void replay(recording& its, ze_command_list_handle_t immediate, ze_command_queue_handle_t queue);
  /// Called when a replay has failed after a part of its commands was handed over. It is not known when the recording's
  /// list will be free, so the recording is not used again.
  void abandon(recording& its);
  void count_launches() const;
  std::span<const std::shared_ptr<failing_program>> may_fail() const noexcept { return m_may_fail; }

private:
  struct step : recorded_step {
    std::uint32_t level = 0;  ///< larger than the levels of all steps that this step waits for
    loaded_kernel* loaded = nullptr;
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
  bool m_has_natives = false;  ///< whether a step has native commands, so that the graph is recorded only once
  std::vector<std::shared_ptr<failing_program>> m_may_fail;
};

}  // namespace sinter::level_zero
