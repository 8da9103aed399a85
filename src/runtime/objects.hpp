#pragma once
/// What stands behind the handles of the public headers.

#include <atomic>
#include <backends/backend.hpp>
#include <cstdint>
#include <fusion/fusion_list.hpp>
#include <mutex>
#include <scheduler/command.hpp>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

namespace sycl::detail {

class device_impl : public counted {
public:
  explicit device_impl(sinter::device_backend& backend) : m_backend(backend) {}
  sinter::device_backend& backend() const noexcept { return m_backend; }
  const sinter::device_facts& facts() const { return m_backend.facts(); }

private:
  sinter::device_backend& m_backend;
};

/// All devices, those SINTER_DEVICE excludes left out. Made on first use, never destroyed.
const std::vector<device>& all_devices();

/// Immutable.
class context_impl : public counted {
public:
  context_impl(std::vector<device> devices, async_handler handler)
      : m_devices(std::move(devices)), m_handler(std::move(handler)) {}
  const std::vector<device>& devices() const noexcept { return m_devices; }
  const async_handler& handler() const noexcept { return m_handler; }

private:
  std::vector<device> m_devices;
  async_handler m_handler;
};

class queue_impl : public counted {
public:
  queue_impl(context context, device device, async_handler handler, const property_list& properties);

  const context& get_context() const noexcept { return m_context; }
  const device& get_device() const noexcept { return m_device; }
  bool in_order() const noexcept { return m_in_order; }
  bool profiling() const noexcept { return m_profiling; }
  bool fusable() const noexcept { return m_fusable; }

  /// The list that collects kernels now; null outside of fusion mode.
  shared<fusion_list> fusion();
  /// The latest list, whatever became of it.
  shared<fusion_list> latest_fusion();
  void start_fusion();
  bool fuses_automatically() const noexcept { return m_automatic; }
  /// Adds a kernel to the list of an automatic queue, ending it and starting another where needed.
  command_ptr collect_automatically(const command_ptr& kernel, std::vector<command_ptr>& dependencies,
                                    std::span<const requirement> requirements);
  /// Handles of the user; commands keep the queue, too, and don't count.
  void add_handle() noexcept { m_handles.fetch_add(1); }
  void drop_handle() noexcept;

  /// Remembers a submitted command until it is complete. Returns what an in-order queue ran last.
  command_ptr enter(const command_ptr& submitted);
  /// Commands that may not be complete yet.
  std::vector<command_ptr> outstanding();
  void add_error(std::exception_ptr error);
  /// Hands collected errors to the handler of queue or context, else reports and terminates (SYCL 2020 4.13.1.2).
  void throw_asynchronous();

private:
  context m_context;
  device m_device;
  async_handler m_handler;
  bool m_in_order;
  bool m_profiling;
  bool m_fusable;
  bool m_automatic;
  std::atomic<std::size_t> m_handles{0};

  std::mutex m_mutex;  // protects what follows
  std::vector<command_ptr> m_commands;
  std::size_t m_next_cleanup = 64;
  std::vector<std::exception_ptr> m_errors;
  shared<fusion_list> m_fusion;
};

struct object_access {
  template <class Object>
  static const auto& impl(const Object& object) noexcept {
    return object.m_impl;
  }
  static const command_ptr& get_command(const event& event) noexcept { return event.m_command; }
  static event make_event(const command_ptr& command) noexcept { return event(command); }
  static device make_device(shared<device_impl> impl) noexcept { return device(std::move(impl)); }
  static kernel_id make_kernel_id(const kernel_identity* identity) noexcept { return kernel_id(identity); }
  static const kernel_identity* identity(const kernel_id& id) noexcept { return id.m_identity; }
  static kernel make_kernel(const kernel_id& id, const kernel_bundle<bundle_state::executable>& bundle) {
    return kernel(id, bundle);
  }
  static handler make_handler(handler_impl& impl) noexcept { return handler(impl); }
};

} // namespace sycl::detail
