#pragma once
/// The objects behind the handles of the public headers.

#include <atomic>
#include <backends/device.hpp>
#include <cstdint>
#include <functional>
#include <fusion/fusion_list.hpp>
#include <graph/modifiable_graph.hpp>
#include <mutex>
#include <optional>
#include <scheduler/command.hpp>
#include <scheduler/device_memory.hpp>
#include <scheduler/submission_queue.hpp>
#include <span>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

namespace sycl::inline _V1::detail {

class device_impl : public counted {
public:
  explicit device_impl(sinter::device_backend& backend) : m_backend(backend) {}
  /// A sub-device.
  device_impl(sinter::device_backend& backend, device parent, info::partition_property partition)
      : m_backend(backend), m_parent(std::move(parent)), m_partition(partition) {}
  /// Makes the same device for a context of the driver's that the program made.
  device_impl(sinter::device_backend& backend, device original)
      : m_backend(backend), m_original(std::move(original)) {}
  sinter::device_backend& backend() const noexcept { return m_backend; }
  const sinter::device_facts& facts() const { return m_backend.facts(); }
  /// Empty: no sub-device.
  const std::optional<device>& parent() const noexcept { return m_parent; }
  /// Empty: it is the original.
  const std::optional<device>& original() const noexcept { return m_original; }
  /// The way in which it was partitioned.
  info::partition_property partition() const noexcept { return m_partition; }

private:
  sinter::device_backend& m_backend;
  const std::optional<device> m_parent, m_original;
  const info::partition_property m_partition = info::partition_property::no_partition;
};

/// Memory of a device that is freed with its owner. errc::memory_allocation when there is none.
struct device_memory : counted {
  device_memory(shared<device_impl> its_device, std::size_t its_bytes, std::size_t alignment);
  ~device_memory() override { give_back(device->backend(), data); }

  shared<device_impl> device;
  std::size_t bytes;
  void* data;
};

/// All devices except those that SINTER_DEVICE excludes. Made on first use, never destroyed. Near devices, of Sinter's
/// own backends, are known at once; slow drivers are asked when a program asks for all devices.
const std::vector<device>& near_devices();
const std::vector<device>& all_devices();

/// Immutable.
class context_impl : public counted {
public:
  context_impl(std::vector<device> devices, async_handler handler)
      : m_devices(std::move(devices)), m_handler(std::move(handler)) {}
  const std::vector<device>& devices() const noexcept { return m_devices; }
  const async_handler& handler() const noexcept { return m_handler; }
  /// Sub-devices belong to the contexts of the devices they are parts of.
  bool contains(const device& asked) const;
  /// The one that is equal, with memory and queues of this context.
  const device& own(const device& asked) const noexcept;

private:
  std::vector<device> m_devices;
  async_handler m_handler;
};

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
  /// Numbers among kernels' arguments become constants (property::queue::adaptive).
  bool is_adaptive() const noexcept { return m_adaptive; }
  /// Whether the program promises, for all fusions of this queue, that accesses which are not proved stay apart.
  bool trusts_accesses() const noexcept { return m_trusts_accesses; }
  /// Adds a kernel to the list of an automatic queue, ending it and starting another where needed.
  command_ptr collect_automatically(const command_ptr& kernel, collected_kernel& details);
  /// Starts the commands that an automatic queue has collected.
  void end_window();
  /// Handles of the user; commands keep the queue, too, and don't count.
  void add_handle() noexcept { m_handles.fetch_add(1); }
  bool has_handles() const noexcept { return m_handles.load() != 0; }
  void drop_handle() noexcept;
  /// Without handles: its memory goes, if a command that was just complete has kept it so far.
  void left_alone() override;

  /// Sets a dependency of the next commands: of all of them, or of the next one only. A complete dependency ends an
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
  /// errc::invalid when it records already, fuses, or has another context or device than the graph.
  void start_recording(const shared<modifiable_graph>& graph);
  /// Does nothing unless the queue records to this graph.
  void stop_recording(const modifiable_graph& graph);

  /// In-order queues: memory of the device that belongs to the running command; commands that need no more share it. It
  /// stays as long as the queue. errc::memory_allocation when there is none.
  void* workspace(std::size_t bytes);
  static constexpr std::size_t workspace_alignment = 64;
  /// Returns memory of zeros, which commands leave as they found it.
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

  std::mutex m_mutex;  // protects what follows
  std::vector<std::exception_ptr> m_errors;
  shared<fusion_list> m_fusion;  ///< the user's
  shared<fusion_list> m_window;  ///< an automatic queue's
  template <class Make>
  void* largest(std::vector<shared<device_memory>>& all, std::size_t bytes, const Make& make);
  std::vector<shared<device_memory>> m_workspaces, m_zeros;  ///< the largest last
  std::atomic<bool> m_awaits{false};  ///< there is one of these, for threads without the lock
  dependency m_barrier, m_external;
  std::atomic<bool> m_records{false};  ///< there is this one, for threads without the lock
  shared<modifiable_graph> m_graph;
};

/// All queues that a program can submit to, and those without handles that still have work.
class queue_registry {
public:
  static queue_registry& instance();

  void add(const shared<queue_impl>& added);
  /// Called when its last handle is gone. False: it still has work.
  bool drop(const queue_impl& dropped);
  /// Commands that may use memory of the context: they were submitted to its queues and are not complete.
  std::vector<dependency> commands_of(const context& asked);
  /// Queues that nobody needs any more are left out, and release their memory.
  std::vector<shared<submission_queue>> queues();

private:
  /// Called under the mutex: takes queues that nobody needs any more; their commands are forgotten without the mutex.
  std::vector<shared<queue_impl>> take_unused();
  std::mutex m_mutex;  // protects the list
  std::vector<shared<queue_impl>> m_queues;
};

struct object_access {
  template <class Object>
  static const auto& impl(const Object& object) noexcept {
    return object.m_impl;
  }
  static dependency get_dependency(const event& event) noexcept {
    counted* source = event.m_source.get();
    if (!source || event.m_ticket == 0) return command_ptr(static_cast<command*>(source));
    return {shared<command_stream>(static_cast<command_stream*>(source)), event.m_ticket};
  }
  /// Whether its command was recorded to a graph.
  static bool is_recorded(const event& event) noexcept {
    const counted* source = event.m_ticket == 0 ? event.m_source.get() : nullptr;
    return source && static_cast<const command*>(source)->recorded;
  }
  /// Whose command it is; null for default events.
  static shared<queue_impl> queue_of(const event& event) noexcept {
    counted* source = event.m_source.get();
    if (event.m_ticket != 0) return shared<queue_impl>(static_cast<queue_impl*>(source));
    if (!source) return nullptr;
    return shared<queue_impl>(static_cast<queue_impl*>(static_cast<command*>(source)->queue.get()));
  }
  /// Asks the dependency without becoming an owner of it.
  static bool is_complete(const event& event) noexcept {
    const counted* source = event.m_source.get();
    if (event.m_ticket != 0) return !source || static_cast<const command_stream*>(source)->is_complete(event.m_ticket);
    return !source || static_cast<const command*>(source)->is_complete();
  }
  static event make_event(dependency completion) noexcept {
    if (!completion.node && !completion.order) return {};
    event result(nullptr);
    if (completion.node) {
      result.m_source = std::move(completion.node);
    } else {
      result.m_source = std::move(completion.order);
      result.m_ticket = completion.ticket;
    }
    return result;
  }
  template <class Object>
  static Object make(shared<counted> impl) {
    return Object(std::move(impl));
  }
  static std::size_t hash(const event& event) noexcept {
    return std::hash<const void*>()(event.m_source.address()) ^ static_cast<std::size_t>(event.m_ticket);
  }
  static platform make_platform(int id) noexcept { return platform(id); }
  static int id(const platform& object) noexcept { return object.m_id; }
  static device make_device(shared<device_impl> impl) noexcept { return device(std::move(impl)); }
  static kernel_id make_kernel_id(const kernel_identity* identity) noexcept { return kernel_id(identity); }
  static const kernel_identity* identity(const kernel_id& id) noexcept { return id.m_identity; }
  static const kernel_id& kernel_id_of(const kernel& object) noexcept { return object.m_id; }
  static kernel make_kernel(const kernel_id& id, const kernel_bundle<bundle_state::executable>& bundle) {
    return kernel(id, bundle);
  }
  static queue make_queue(const context& context, const device& device, const async_handler& handler,
                          const property_list& properties, void* native) {
    return queue(context, device, handler, properties, native);
  }
  static handler make_handler(handler_impl& impl) noexcept { return handler(impl); }
};

inline sinter::device_backend& backend_for(const device& device) { return object_access::impl(device)->backend(); }

} // namespace sycl::detail
