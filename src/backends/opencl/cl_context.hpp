#pragma once
/// The state of an OpenCL context and of its devices, which memory, streams and programs use.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <backends/device.hpp>

#include "cl_memory.hpp"
#include "platforms.hpp"

namespace sinter::opencl {

/// The context that all devices of a platform share, so that their streams can wait for each other.
class platform_context {
public:
  platform_context(const loader& functions, const found_platform& platform);
  /// Uses a context that the program has created, and retains it.
  platform_context(const loader& functions, const found_platform& platform, cl_context native);
  /// Returns the context, which is made when a device is first used. Throws sycl::exception.
  cl_context native();
  /// Makes sub-devices with the given numbers of compute units. The result has these sub-devices as its devices. The
  /// devices of a context are fixed when the context is created. So the sub-devices get a new context if the platform's
  /// context exists already.
  platform_context& divide(const found_device& whole, std::span<const std::uint32_t> compute_units);
  const found_platform& platform() const noexcept { return m_platform; }
  memory_table& table() noexcept { return m_whole ? m_whole->table() : m_table; }
  /// Returns the device family: the same pointer for all objects that share a context.
  const void* family() const noexcept { return m_whole ? m_whole->family() : this; }

private:
  const loader& m_functions;
  const found_platform& m_platform;
  std::mutex m_mutex;
  cl_context m_context = nullptr;
  std::vector<cl_device_id> m_parts;
  platform_context* m_whole = nullptr;  ///< the object whose context is used; null: this object has its own context
  memory_table m_table;
};

class cl_device_context {
public:
  cl_device_context(const loader& functions, platform_context& shared, const found_device& device);
  cl_device_context(const cl_device_context&) = delete;

  const loader& functions() const noexcept { return m_functions; }
  const cl_memory& memory() const noexcept { return m_memory; }
  cl_memory& memory() noexcept { return m_memory; }
  cl_device_id id() const noexcept { return m_device.id; }
  cl_context native() { return m_shared.native(); }
  platform_context& shared() const noexcept { return m_shared; }
  const found_device& found() const noexcept { return m_device; }
  const std::string& name() const noexcept { return m_device.name; }

  template <class T>
  T info(cl_device_info which, T otherwise = {}) const {
    T value{};
    return m_functions.clGetDeviceInfo(id(), which, sizeof(value), &value, nullptr) == CL_SUCCESS ? value : otherwise;
  }
  std::string text(cl_device_info which) const { return text_info(m_functions.clGetDeviceInfo, id(), which); }

  /// If the result is an error, throws an exception that names the device.
  template <class Words>
  void check(cl_int result, const Words& doing) const {
    if (result != CL_SUCCESS) fail(result, doing());
  }

  /// Throws sycl::exception if the program is ending and the driver has already ended.
  void refuse_at_end(const char* doing) const;

  /// Returns null if there is no more memory.
  void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment);
  void deallocate(void* memory) noexcept;

private:
  [[noreturn]] void fail(cl_int result, const std::string& doing) const;

  const loader& m_functions;
  platform_context& m_shared;
  const found_device& m_device;
  cl_memory m_memory;
};

}  // namespace sinter::opencl
