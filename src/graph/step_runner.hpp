#pragma once
/// Runs the steps of a graph on threads of the scheduler.

#include <atomic>
#include <base/trace.hpp>
#include <condition_variable>
#include <fusion/fused_launch.hpp>
#include <memory>
#include <mutex>
#include <scheduler/submission_queue.hpp>
#include <span>
#include <vector>

#include "node.hpp"

namespace sycl::inline _V1::detail {

struct graph_step {
  shared<node_work> work;
  std::unique_ptr<sinter::ready_launch> launch;  ///< set for kernels that run on threads of the scheduler
  /// `before`: the steps for which this step waits directly; `after`: the steps that wait directly for it; both as
  /// indices into the list of steps
  std::vector<std::uint32_t> before, after;
  std::vector<std::uint32_t> before_alone;  ///< like `before`, but for kernels that run one by one: without the waits
                                            ///< that only fusing has added

  shared<fused_kernels> fused;  ///< the kernels that this step runs as one; null: it runs its own work
  bool is_fused = false;        ///< another step does this step's work
  bool measures = false;        ///< its launch sometimes runs the kernels one by one (measured_launch.hpp)
  bool is_inner = false;        ///< belongs to a graph inside the graph

  /// The part of the step's work that a device can do, if no step is fused.
  sinter::device_work unfused_work() const noexcept {
    return work->kernel ? sinter::device_work(work->launch) : sinter::device_work(work->memory);
  }
  /// The part of the step's work that a device can do, if steps are fused.
  sinter::device_work own_work() const noexcept {
    if (is_fused) return {};
    return fused ? sinter::device_work(fused->launch) : unfused_work();
  }
  bool is_nothing() const noexcept {
    return is_fused || (!work->kernel && !work->host && !work->native && !own_work().memory());
  }
};

/// A function that returns the constants with which a launch's code should be compiled; null: no constants are known
/// yet (runtime/adapted_values.hpp).
using constant_source = const sinter::abi::specialization_table* (*)(const sinter::kernel_launch& launch,
                                                                     sinter::device_backend& device);

class step_runner {
public:
  /// Must be called when the steps or their work have changed. `owner` is kept alive as long as any thread runs steps.
  void prepare(std::span<graph_step> steps, sinter::device_backend& device, counted& owner);
  /// After some runs, compiles code in which the numbers among the kernels' arguments are constants. Keeps this code if
  /// measured runs are faster. Call it only if the work of the steps never changes. `graph` is the graph's number in
  /// the report.
  void adapt_with(constant_source source, std::uint64_t graph);
  /// Runs all steps, and returns when they are complete. Only one thread at a time calls this function; other threads
  /// help. Exceptions of steps go to the queue.
  void run(submission_queue& errors);
  cost estimate() const noexcept { return m_estimate.load(std::memory_order_relaxed); }

private:
  class helper;
  /// State that the threads running the steps share. It outlives the runner if helpers are still in the worker pool.
  struct meeting : counted {
    std::mutex mutex;
    std::atomic<std::uint64_t> run{0};  ///< the number of the run while several threads may take part; else 0
  };
  void run_step(std::uint32_t at);
  void run_in_order();
  void run_together();
  void work_together(std::unique_lock<std::mutex>& lock, bool is_helper);
  void call_helpers();
  void plan();
  void look_at(cost whole);
  [[gnu::cold]] void adapt();
  void adapt(std::uint32_t at);
  [[gnu::cold]] void note_times(std::uint32_t at, std::uint64_t start);
  void trace_step(std::uint32_t at, std::uint64_t start, std::uint64_t end) const;
  void trace_edges() const;
  sinter::traced_point point_of(std::uint32_t at) const noexcept { return {m_number, m_runs * m_steps.size() + at}; }
  bool is_narrow(const graph_step& step) const;

  std::span<graph_step> m_steps;
  sinter::device_backend* m_device = nullptr;
  counted* m_owner = nullptr;
  std::vector<std::uint32_t> m_order;  ///< the steps that do something
  std::vector<cost> m_costs;           ///< the cost of each step when it was last measured
  submission_queue* m_errors = nullptr;
  const void* m_command = nullptr;  ///< the command that runs the steps
  std::uint64_t m_runs = 0;
  std::atomic<cost> m_estimate{0};
  std::uint64_t m_measured_until = 0;
  bool m_measures = false;
  bool m_timed = false;        ///< the steps of the run are timed, because the run is measured or traced
  bool m_traces = false;       ///< the timeline is written (base/trace.hpp)
  std::uint32_t m_number = 0;  ///< the graph's number in the timeline

  struct adaptation {
    cost least = unmeasured;  ///< the step's shortest measured time since the last call of adapt()
    cost before = 0;          ///< the step's time without constants, if its code has constants now
    bool is_settled = false;
  };
  static constexpr cost unmeasured = ~cost{0};
  constant_source m_constants = nullptr;
  std::uint64_t m_graph = 0;
  std::uint64_t m_next_look = 0;  ///< the run before which adapt() is called; 0: never
  std::vector<adaptation> m_adapted;
  bool m_together = false;  ///< it pays to run the steps on several threads
  bool m_branches = false;  ///< threads can share the steps, if these take long enough
  cost m_longest = 0;       ///< the longest chain of steps that wait for each other, as last measured

  // Protects the members below, which are the state of runs by several threads.
  const shared<meeting> m_meeting = make_counted<meeting>();
  std::condition_variable m_changed;
  std::vector<std::uint32_t> m_ready;
  std::vector<std::uint32_t> m_waits_for;  ///< for each step, the number of steps for which it still waits
  std::size_t m_left = 0;
  std::size_t m_helpers = 0;  ///< helpers that were called and have not left
};

}  // namespace sycl::detail
