#include "step_runner.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <base/environment.hpp>
#include <base/report.hpp>
#include <base/running.hpp>
#include <base/trace_clock.hpp>
#include <scheduler/scheduler.hpp>
#include <scheduler/test_hooks.hpp>
#include <scheduler/traced_command.hpp>
#include <scheduler/worker_pool.hpp>

namespace sycl::inline _V1::detail {
namespace {

// Times in nanoseconds. Helpers are other threads that run steps, and are called if they save at least the time
// worth_calling. When several threads share the steps, each step takes cost_together longer.
constexpr cost worth_calling = 20'000, cost_together = 300;
// Copies of fewer bytes are not shared among threads.
constexpr std::size_t wide_copy = std::size_t{1} << 20;
// The costs of steps are measured in the first 3 runs and later in every 256th run, because costs change.
constexpr std::uint64_t first_measured = 3, then_each = 256;
// Timing costs as much as a short step, so only one short run in 4 is timed as a whole.
constexpr std::uint64_t look_each = 4;
// Before run 16, 32, 64, ... 16384, the runner checks whether to compile kernels with their arguments' numbers as
// constants. The 8 runs that follow are measured.
constexpr std::uint64_t first_look = 16, last_look = 16384, measured_between = 8;
// Kernels that take fewer nanoseconds can't gain from constants.
constexpr cost worth_adapting = 2'000;

}  // namespace

/// A thread of the worker pool runs this object to help with a run of the graph. This object must not own the graph.
/// The graph's destructor frees memory and locks queues. But when the run has ended, any thread may destroy the helper,
/// even a thread that holds the lock of a queue.
class step_runner::helper final : public runnable {
public:
  helper(step_runner& runner, std::uint64_t run) : m_runner(runner), m_run(run), m_meeting(runner.m_meeting) {}
  void run_ready() override {
    shared<counted> owner;  // destroyed without the lock
    std::unique_lock lock(m_meeting->mutex);
    if (is_stale()) return;
    // The thread that runs the helper also keeps the owner alive until the run ends.
    owner = shared<counted>(m_runner.m_owner);
    const running_scope scope(m_runner.m_command);
    m_runner.work_together(lock, true);
    --m_runner.m_helpers;
  }
  bool is_stale() const noexcept override { return m_meeting->run.load(std::memory_order_relaxed) != m_run; }

private:
  step_runner& m_runner;  ///< may no longer exist when the run is over
  const std::uint64_t m_run;
  const shared<meeting> m_meeting;
};

void step_runner::prepare(std::span<graph_step> steps, sinter::device_backend& device, counted& owner) {
  m_steps = steps;
  m_device = &device;
  m_owner = &owner;
  // In the timeline, the track numbers of graphs are above the numbers of queues.
  if (m_number == 0 && sinter::traces())
    m_number = (1u << 21) + static_cast<std::uint32_t>(sinter::next_trace_number());
  m_order.clear();
  m_costs.resize(steps.size());
  m_waits_for.resize(steps.size());
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const graph_step& step = steps[i];
    if (!step.is_nothing()) m_order.push_back(i);
    // For a fused step, this is the estimate of one member. A measured run replaces this estimate by the cost of all
    // members.
    m_costs[i] = step.is_nothing() ? 0 : step.work->estimate;
  }
  m_measured_until = m_runs + first_measured;
  plan();
}

bool step_runner::is_narrow(const graph_step& step) const {
  if (step.launch) return step.launch->parts() < m_device->facts().compute_units;
  if (step.work->memory.what == sinter::memory_work::kind::copy) return step.work->memory.copy.bytes() < wide_copy;
  return true;
}

/// Computes how much time helpers could save. Steps of one run can overlap if they don't wait for each other.
void step_runner::plan() {
  cost all = 0, narrow = 0, longest = 0;
  // Narrow steps are too small for all threads. `steps` is the number of narrow steps, and `most` is the number of
  // steps of their longest chain.
  std::size_t steps = 0, most = 0;
  std::vector<cost> until(m_steps.size());
  std::vector<std::size_t> behind(m_steps.size());
  for (std::uint32_t i = 0; i < m_steps.size(); ++i) {
    const graph_step& step = m_steps[i];
    all += m_costs[i];
    for (const std::uint32_t each : step.before) {
      until[i] = std::max(until[i], until[each]);
      behind[i] = std::max(behind[i], behind[each]);
    }
    if (step.is_nothing() || !is_narrow(step)) continue;
    ++steps;
    most = std::max(most, ++behind[i]);
    narrow += m_costs[i];
    until[i] += m_costs[i];
    longest = std::max(longest, until[i]);
  }
  m_estimate.store(all, std::memory_order_relaxed);
  const bool pays = narrow - longest > worth_calling + cost_together * m_order.size();
  m_branches = m_device->facts().compute_units > 1 && steps > most;
  m_together = shuffles() || (m_device->facts().compute_units > 1 && pays);
  m_longest = longest;
}

/// `whole` is the time of a run. If `whole` differs much from the time that the measured costs of the steps suggest,
/// the steps are measured again in the next run.
void step_runner::look_at(cost whole) {
  const bool is_slower = !m_together && whole > 2 * estimate() + worth_calling;
  const bool is_faster = m_together && 2 * whole + worth_calling < m_longest;
  if (is_slower || is_faster) m_measured_until = std::max(m_measured_until, m_runs + 1);
}

void step_runner::run_step(std::uint32_t at) {
  graph_step& step = m_steps[at];
  const std::uint64_t start = m_timed ? now_nanoseconds() : 0;
  try {
    if (step.launch) {
      step.launch->run();
    } else if (step.work->host) {
      step.work->host->value();
    } else if (step.work->memory.what != sinter::memory_work::kind::none) {
      m_device->run(step.work->memory);
    }
  } catch (const abi::__forced_unwind&) {
    refuse_end_of_thread(step.work->name);
  } catch (...) {
    m_errors->add_error(std::current_exception());
  }
  if (m_timed) note_times(at, start);
}

void step_runner::note_times(std::uint32_t at, std::uint64_t start) {
  const std::uint64_t end = now_nanoseconds();
  if (m_measures) m_costs[at] = end - start;
  if (m_measures && !m_adapted.empty()) m_adapted[at].least = std::min<cost>(m_adapted[at].least, end - start);
  if (m_traces) trace_step(at, start, end);
}

void step_runner::trace_step(std::uint32_t at, std::uint64_t start, std::uint64_t end) const {
  const graph_step& step = m_steps[at];
  const traced_part part = traced_work(step.own_work(), step.fused ? step.fused->name : step.work->name);
  sinter::trace({.kind = part.kind,
                 .name = part.name,
                 .start = start,
                 .end = end,
                 .point = point_of(at),
                 .size = part.size});
}

void step_runner::trace_edges() const {
  for (std::uint32_t i = 0; i < m_steps.size(); ++i) {
    for (const std::uint32_t each : m_steps[i].before) sinter::trace_dependence(point_of(each), point_of(i));
  }
}

void step_runner::adapt_with(constant_source source, std::uint64_t graph) {
  m_constants = source;
  m_graph = graph;
  if (!source) return;
  m_adapted.resize(m_steps.size());
  m_next_look = adapts_soon() ? 1 : first_look;
}

/// Called between two runs. The number of runs between two calls doubles each time.
void step_runner::adapt() {
  bool any = false;
  for (const std::uint32_t each : m_order) {
    const graph_step& step = m_steps[each];
    if (!step.launch || !step.work->kernel || step.fused || step.work->launch.constants) continue;
    if (!m_adapted[each].is_settled) adapt(each);
    any |= !m_adapted[each].is_settled;
    m_adapted[each].least = unmeasured;
  }
  m_measured_until = m_runs + measured_between;
  m_next_look = !any || m_runs >= last_look ? 0 : adapts_soon() ? m_runs + 1 : 2 * m_runs;
}

void step_runner::adapt(std::uint32_t at) {
  graph_step& step = m_steps[at];
  adaptation& its = m_adapted[at];
  if (its.least == unmeasured) return;
  if (its.before != 0) {
    its.is_settled = true;
    const bool pays = its.least < its.before - its.before / 32;
    if (!pays) step.launch->change(step.work->launch);
    if (!sinter::environment().report_graph) return;
    const std::uint64_t before = its.before, after = its.least;
    sinter::print_report(
        {"graph",
         {"",
          "graph " + std::to_string(m_graph) + ": step " + std::to_string(at) + " (" + text_of(*step.work) + "): " +
              std::to_string(before) + " ns, with constants for its numbers " + std::to_string(after) + " ns: " +
              (pays ? "kept" : "not kept"),
          {{"graph", m_graph},
           {"step", std::uint64_t{at}},
           {"nanoseconds", before},
           {"nanoseconds_with_constants", after},
           {"kept", std::uint64_t{pays}}}}});
    return;
  }
  if (its.least < worth_adapting && !adapts_soon()) {
    its.is_settled = true;
    return;
  }
  sinter::kernel_launch launch = step.work->launch;
  launch.constants = m_constants(launch, *m_device);
  if (!launch.constants) return;
  its.before = std::max<cost>(its.least, 1);
  step.launch->change(launch);
}

void step_runner::run_in_order() {
  for (const std::uint32_t each : m_order) run_step(each);
}

void step_runner::run(submission_queue& errors) {
  m_errors = &errors;
  m_measures = m_runs < m_measured_until || m_runs % then_each == 0;
  if (m_next_look != 0 && m_runs >= m_next_look) adapt();
  ++m_runs;
  m_traces = sinter::traces();
  m_timed = m_measures || m_traces;
  if (m_traces) trace_edges();
  // Timing a run costs as much as a short step.
  const bool looks = m_branches && !m_measures && (m_runs % look_each == 0 || estimate() > worth_calling);
  const std::uint64_t start = looks ? sinter::trace_time() : 0;
  if (m_together) {
    run_together();
  } else {
    run_in_order();
  }
  if (m_measures) plan();
  if (looks) look_at(sinter::trace_time() - start);
}

void step_runner::run_together() {
  std::unique_lock lock(m_meeting->mutex);
  m_meeting->run = m_runs;
  m_helpers = 0;
  m_command = running_scope::current();
  m_left = m_steps.size();
  m_ready.clear();
  // Threads take steps from the end of m_ready. The loop runs backwards, so threads first take the steps that were
  // added first.
  for (std::size_t i = m_steps.size(); i-- > 0;) {
    m_waits_for[i] = static_cast<std::uint32_t>(m_steps[i].before.size());
    if (m_waits_for[i] == 0) m_ready.push_back(static_cast<std::uint32_t>(i));
  }
  if (m_left == 0) m_meeting->run = 0;
  work_together(lock, false);
}

/// Called under the mutex.
void step_runner::call_helpers() {
  const std::size_t most = std::min<std::size_t>(m_ready.size(), m_device->facts().compute_units) - 1;
  for (; m_helpers < most; ++m_helpers) {
    worker_pool::instance().push(make_counted<helper>(*this, m_runs), urgency::now);
  }
}

/// The caller holds the mutex, and this function releases the mutex while a step runs. A helper leaves when no step is
/// ready.
void step_runner::work_together(std::unique_lock<std::mutex>& lock, bool is_helper) {
  while (m_left != 0) {
    if (m_ready.empty()) {
      if (is_helper) return;
      const sleeping_scope sleeps;
      m_changed.wait(lock, [&] { return m_left == 0 || !m_ready.empty(); });
      continue;
    }
    if (m_ready.size() > 1) call_helpers();
    if (shuffles()) std::swap(m_ready.back(), m_ready[shuffled(m_ready.size())]);
    const std::uint32_t at = m_ready.back();
    m_ready.pop_back();
    if (!m_steps[at].is_nothing()) {
      lock.unlock();
      run_step(at);
      lock.lock();
    }
    for (const std::uint32_t each : m_steps[at].after) {
      if (--m_waits_for[each] == 0) m_ready.push_back(each);
    }
    if (--m_left == 0) m_meeting->run = 0;
    if (m_left == 0 || m_ready.size() > 1) m_changed.notify_all();
  }
}

}  // namespace sycl::detail
