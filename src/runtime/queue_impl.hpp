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
  /// `native`: as in command_stream.
  queue_impl(context context, device device, async_handler handler, const property_list& properties,
             void* native = nullptr);

  const context& get_context() const noexcept { return m_context; }
  const device& get_device() const noexcept { return m_device; }
  const device_impl& hardware() const noexcept;
  bool fusable() const noexcept { return m_fusable; }
  /// Whether a kernel may become part of another one.
  bool may_fuse() const noexcept { return m_fusable || m_automatic; }

  /// The user's list that collects kernels now; null outside of fusion mode.
  shared<fusion_list> fusion() { return m_fusable ? active_fusion() : nullptr; }
  /// The user's latest list, whatever became of it.
  shared<fusion_list> latest_fusion();
  void start_fusion();
  bool fuses_automatically() const noexcept { return m_automatic; }
  /// Arguments of kernels that are numbers become constants (property::queue::adaptive).
  bool is_adaptive() const noexcept { return m_adaptive; }
  /// Whether the program promises, for all fusions of this queue, that accesses stay apart even if that is not proved.
  bool trusts_accesses() const noexcept { return m_trusts_accesses; }
  /// Adds a kernel to the list of an automatic queue, ending it and starting another where needed.
  command_ptr collect_automatically(const command_ptr& kernel, collected_kernel& details);
  /// Starts the commands that an automatic queue has collected.
  void end_window();
  /// Handles of the user; commands keep the queue, too, and don't count.
  void add_handle() noexcept { m_handles.fetch_add(1); }
  bool has_handles() const noexcept { return m_handles.load() != 0; }
  void drop_handle() noexcept;
  /// For queues without handles: the memory is freed, if a command that has just completed was the last to keep it.
  void left_alone() override;

  /// Sets a dependency of later commands: of all of them, or of the next one only. A complete dependency ends an
  /// earlier one.
  void set_barrier(dependency barrier);
  void set_external(dependency external);
  /// Adds both to a new command's dependencies.
  void await_barrier(handler_impl& command) {
    if (m_awaits.load(std::memory_order_acquire)) add_barrier_to(command);
  }

  /// Whether commands become nodes of a graph; of which one, or null.
  bool is_recording() const noexcept { return m_records.load(std::memory_order_acquire); }
  shared<modifiable_graph> graph() {
    std::lock_guard lock(m_mutex);
    return m_graph;
  }
  /// Throws errc::invalid if it already records, fuses, or has another context or device than the graph.
  void start_recording(const shared<modifiable_graph>& graph);
  /// Does nothing unless the queue records to this graph.
  void stop_recording(const modifiable_graph& graph);

  /// In-order queues: memory of the device that belongs to the running command; commands that need no more share it. It
  /// stays as long as the queue. Throws errc::memory_allocation when there is none.
  void* workspace(std::size_t bytes);
  static constexpr std::size_t workspace_alignment = 64;
  /// Returns memory of zeros, which commands have to leave as zeros.
  void* zeros(std::size_t bytes);

  void add_error(std::exception_ptr error) override;
  /// Hands collected errors to the handler of queue or context, else reports and terminates (SYCL 2020 4.13.1.2).
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
  shared<fusion_list> m_fusion;  ///< the user's
  shared<fusion_list> m_window;  ///< an automatic queue's
  template <class Make>
  void* largest(std::vector<shared<device_memory>>& all, std::size_t bytes, const Make& make);
  std::vector<shared<device_memory>> m_workspaces, m_zeros;  ///< the largest last
  std::atomic<bool> m_awaits{false};  ///< there is one of these, for threads without the lock
  dependency m_barrier, m_external;
  std::atomic<bool> m_records{false};  ///< whether there is one, for threads without the lock
  shared<modifiable_graph> m_graph;
};

}  // namespace sycl::detail
