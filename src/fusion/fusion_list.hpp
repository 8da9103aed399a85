#pragma once
/// The fusion list of a queue (seed 000, "KernelFusionCommand"): kernels collected between start and complete.
///
/// Collected kernels are in the DAG with all their edges, but held. Whoever needs one of them, a host thread that waits or a
/// command from outside, ends the list early, and they run one by one. When a fusion succeeds, the fused command takes
/// their place: it waits for what they waited for, and they are complete with it.

#include <atomic>
#include <mutex>
#include <scheduler/command.hpp>
#include <scheduler/scheduler.hpp>
#include <span>
#include <vector>

namespace sycl::detail {

enum class fusion_end { cancelled, synchronization, event_of_other_fusion, memory_of_other_fusion, window };

struct fusion_options {
  bool no_barriers = false;
  bool force = false;
  bool automatic = false;  ///< only what is proved, and without waiting for the compiler
};

class fusion_list : public counted {
public:
  /// Not yet known to anyone: lists are made by start().
  fusion_list(shared<queue_impl> queue, bool automatic);
  /// A list that collects from now on.
  static shared<fusion_list> start(shared<queue_impl> queue, bool automatic);

  bool is_active() const noexcept { return m_state == state::active; }

  bool is_automatic() const noexcept { return m_automatic; }
  /// Automatic lists: whether the kernel may join those that are there.
  bool fits(const command& kernel);

  /// Holds the kernel; returns the command its event stands for, null when the list has just ended.
  command_ptr collect(const command_ptr& kernel, std::vector<dependency>& dependencies,
                      std::span<const requirement> requirements);
  /// Runs the kernels one by one; those of an automatic list as one, if that is possible. Does nothing when the list has
  /// ended.
  void end_early(fusion_end cause);
  /// Runs the kernels as one, where possible. Returns the command to wait for.
  command_ptr complete(const fusion_options& options);

  /// Lists that collect: the hot paths ask this first.
  static unsigned count_active() noexcept { return active_lists.load(std::memory_order_relaxed); }
  /// The program ends.
  static void end_all();

private:
  enum class state { active, ended };
  void leave();
  command_ptr run_fused(const fusion_options& options);

  static std::atomic<unsigned> active_lists;

  const shared<queue_impl> m_queue;
  const bool m_automatic;
  const command_ptr m_placeholder;  ///< complete when all kernels are; what submit's events stand for
  std::atomic<state> m_state{state::active};
  std::mutex m_mutex;               // protects the members, and the change of state
  std::vector<command_ptr> m_members;
};

/// Shown from SYCL_RT_WARNING_LEVEL 1 on.
void warn_fusion(const std::string& text);
/// A command group that is no kernel was submitted to a queue in fusion mode.
void warn_not_fused(const std::string& kind);

} // namespace sycl::detail
