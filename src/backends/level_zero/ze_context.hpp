#pragma once
/// The state of a Level Zero driver and of its devices, which memory, streams and programs use.

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include <backends/device.hpp>

#include "loader.hpp"

namespace sinter::level_zero {

/// The state that all devices of a driver share, so that their streams can wait for each other.
class driver_context {
public:
  /// `context` belongs to the user's program. If `context` is null, the object makes its own context when the object
  /// needs one.
  driver_context(const loader& functions, ze_driver_handle_t driver, ze_context_handle_t context = nullptr);
  driver_context(const driver_context&) = delete;

  const loader& functions() const noexcept { return m_functions; }
  ze_driver_handle_t driver() const noexcept { return m_driver; }
  /// Returns the version of the specification; 0x10003 means 1.3.
  std::uint32_t api_version() const noexcept { return m_api_version; }
  std::uint32_t driver_version() const noexcept { return m_driver_version; }
  bool has_extension(const std::string& name) const;
  const newer_functions& newer() const noexcept { return m_newer; }
  /// Returns whether the driver can append closed command lists to immediate lists.
  bool appends_lists() const noexcept { return m_appends_lists; }
  /// Returns the context, which is made when a device is first used. Throws sycl::exception.
  ze_context_handle_t native();

  /// Returns an event that is not signalled. If `timed` is true, the event records the times of its command. Throws
  /// sycl::exception if the driver fails.
  ze_event_handle_t take_event(bool timed);
  /// Takes an event back for reuse. No thread or list may still wait for the event.
  void give_event(ze_event_handle_t event, bool timed) noexcept;

private:
  void add_pool(bool timed);

  const loader& m_functions;
  const ze_driver_handle_t m_driver;
  std::uint32_t m_api_version = 0, m_driver_version = 0;
  std::vector<std::string> m_extensions;
  newer_functions m_newer;
  bool m_appends_lists = false;

  std::mutex m_mutex;  // protects the members below
  ze_context_handle_t m_context = nullptr;
  std::vector<ze_event_handle_t> m_free[2];  ///< free events: [0] without times, [1] with times
};

class ze_device_context {
public:
  ze_device_context(driver_context& shared, ze_device_handle_t device);
  ze_device_context(const ze_device_context&) = delete;

  const loader& functions() const noexcept { return m_shared.functions(); }
  driver_context& shared() const noexcept { return m_shared; }
  ze_device_handle_t device() const noexcept { return m_device; }
  ze_context_handle_t context() const { return m_shared.native(); }
  const std::string& name() const noexcept { return m_name; }
  const ze_device_properties_t& properties() const noexcept { return m_properties; }
  const ze_device_compute_properties_t& compute() const noexcept { return m_compute; }
  const ze_device_module_properties_t& modules() const noexcept { return m_modules; }

  /// A kind of engine, which the driver calls a queue group. `ordinal` is the group's number.
  struct engine {
    std::uint32_t ordinal;
    std::size_t longest_pattern;  ///< longest pattern of a fill, in bytes
  };
  /// Returns the queue group for kernels, or null if the device runs no kernels.
  const engine* compute_engine() const noexcept { return m_computes ? &m_compute_engine : nullptr; }
  /// If the device has a queue group that only copies, returns this group; otherwise returns the compute queue group.
  const engine& copy_engine() const noexcept { return m_copies ? m_copy_engine : m_compute_engine; }

  /// Returns whether the driver can change launches in closed command lists.
  bool has_mutable_lists() const noexcept { return m_mutable_lists; }
  /// Returns whether allocations may be larger than maxMemAllocSize.
  bool has_large_allocations() const noexcept { return m_large_allocations; }
  std::uint64_t most_allocated() const noexcept;
  std::uint64_t memory_bytes() const noexcept { return m_memory_bytes; }
  /// Returns the number of free bytes, or 0 if the driver does not report it.
  std::uint64_t free_memory() const;

  /// If the result is an error, throws an exception that names the device.
  template <class Words>
  void check(ze_result_t result, const Words& doing) const {
    if (result != ZE_RESULT_SUCCESS) fail(result, doing());
  }

  /// Throws sycl::exception once the driver has ended with the program.
  void refuse_at_end(const char* doing) const;

  /// Returns null if there is no more memory.
  void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) const;
  void deallocate(void* memory) const noexcept;

  /// Returns the nanoseconds of a tick of the device's clock, or 0 if the driver can't relate ticks to the host's time.
  double tick() const noexcept { return m_tick; }

private:
  [[noreturn]] void fail(ze_result_t result, const std::string& doing) const;
  void ask_engines();
  void ask_memory();
  void ask_clock();
  void ask_lists();

  driver_context& m_shared;
  const ze_device_handle_t m_device;
  ze_device_properties_t m_properties;
  ze_device_compute_properties_t m_compute;
  ze_device_module_properties_t m_modules;
  std::string m_name;
  bool m_computes = false, m_copies = false, m_large_allocations = false, m_mutable_lists = false;
  engine m_compute_engine{}, m_copy_engine{};
  std::uint64_t m_memory_bytes = 0;
  double m_tick = 0;
};

}  // namespace sinter::level_zero
