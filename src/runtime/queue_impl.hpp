#pragma once
/// The object behind sycl::queue.

#include <atomic>
#include <fusion/fusion_list.hpp>
#include <graph/modifiable_graph.hpp>
#include <mutex>
#include <scheduler/command.hpp>
#include <scheduler/submission_queue.hpp>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "device_impl.hpp"

namespace sycl::inline _V1::detail {

class queue_impl final : public submission_queue {
public:
  /// `native` is passed to command_stream.
  queue_impl(context context, device device, async_handler handler, const property_list& properties,
             void* native = nullptr);

  const context& get_context() const noexcept { return m_context; }
  const device& get_device() const noexcept { return m_device; }
  const device_impl& hardware() const noexcept;
  bool fusable() const noexcept { return m_fusable; }
  /// Returns whether kernels of the queue may be fused.
  bool may_fuse() const noexcept { return m_fusable || m_automatic; }

  /// Returns the user's list that collects kernels now, or null outside of fusion mode.
  shared<fusion_list> fusion() { return m_fusable ? active_fusion() : nullptr; }
  /// Returns the user's latest list, which may have ended.
  shared<fusion_list> latest_fusion();
  void start_fusion();
  bool fuses_automatically() const noexcept { return m_automatic; }
  /// Returns whether numbers among the arguments of kernels become constants (property::queue::adaptive).
  bool is_adaptive() const noexcept { return m_adaptive; }
  /// Returns whether the program promises, for all fusions of this queue, that accesses of work-items do not overlap.
  bool trusts_accesses() const noexcept { return m_trusts_accesses; }
  /// Returns whether the next kernel goes to the list of an automatic queue.
  bool collects() const noexcept { return m_automatic && !pause().is_on(); }
  /// Adds a kernel to the list of an automatic queue. If the kernel does not fit, the list ends and another one begins.
  /// While fusion pauses, submits the kernel at once.
  command_ptr collect_automatically(const command_ptr& kernel, collected_kernel& details);
  /// Starts the commands that an automatic queue has collected.
  void end_window();
  /// Counts a handle of the user. Commands also keep the queue alive, and are not counted.
  void add_handle() noexcept { m_handles.fetch_add(1); }
  bool has_handles() const noexcept { return m_handles.load() != 0; }
  void drop_handle() noexcept;
  /// Frees the memory of a queue without handles, if the command that has just completed was the last one.
  void left_alone() override;

  /// set_barrier sets a dependency for all later commands of an out-of-order queue. set_external sets a dependency for
  /// the next command only. A complete event removes the dependency that set_external has set before.
  void set_barrier(dependency barrier);
  void set_external(dependency external);
  /// Adds the dependency that set_barrier has noted to the dependencies of a new command.
  void await_barrier(handler_impl& command) {
    if (m_awaits.load(std::memory_order_acquire)) add_barrier_to(command);
  }

  /// Returns whether the queue's commands become nodes of a graph. `graph` returns this graph, or null.
  bool is_recording() const noexcept { return m_records.load(std::memory_order_acquire); }
  shared<modifiable_graph> graph() {
    std::lock_guard lock(m_mutex);
    return m_graph;
  }
  /// Throws errc::invalid if the queue already records or fuses, or has another context or device than the graph.
  void start_recording(const shared<modifiable_graph>& graph);
  /// Does nothing unless the queue records to this graph.
  void stop_recording(const modifiable_graph& graph);

  /// Returns memory of the device for one command of an in-order queue. The next commands use the same memory if it is
  /// large enough. This memory is freed with the queue. Throws errc::memory_allocation if there is no memory.
  void* workspace(std::size_t bytes);
  static constexpr std::size_t workspace_alignment = 64;
  /// Returns zeroed memory. A command that uses this memory has to leave zeros in it.
  void* zeros(std::size_t bytes);

  void add_error(std::exception_ptr error) override;
  /// Hands collected errors to the handler of queue or context. Without a handler, reports the errors and terminates
  /// (SYCL 2020 4.13.1.2).
  void throw_asynchronous();

private:
  shared<fusion_list> active_fusion();
  void add_barrier_to(handler_impl& command);

  context m_context;
  device m_device;
  async_handler m_handler;
  bool m_fusable;
  bool m_automatic, m_adaptive;
  bool m_trusts_accesses;
  std::atomic<std::size_t> m_handles{0};

  std::mutex m_mutex;  // protects the members below
  std::vector<std::exception_ptr> m_errors;
  shared<fusion_list> m_fusion;  ///< the user's list
  shared<fusion_list> m_window;  ///< the list of an automatic queue
  template <class Make>
  void* largest(std::vector<shared<device_memory>>& all, std::size_t bytes, const Make& make);
  std::vector<shared<device_memory>> m_workspaces, m_zeros;  ///< blocks of memory, the largest one last
  std::atomic<bool> m_awaits{false};  ///< whether a barrier is set; read by threads that do not hold the lock
  dependency m_barrier, m_external;
  std::atomic<bool> m_records{false};  ///< whether the queue records; read by threads that do not hold the lock
  shared<modifiable_graph> m_graph;
};

}  // namespace sycl::detail
