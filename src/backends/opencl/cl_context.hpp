#pragma once
/// A device of OpenCL, with a context of its own platform's: what its memory, streams and programs need of it.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <backends/backend.hpp>

#include "platforms.hpp"

namespace sinter::opencl {

/// Unified shared memory, as its extension has it.
struct memory_functions {
  clHostMemAllocINTEL_fn host_alloc;
  clDeviceMemAllocINTEL_fn device_alloc;
  clSharedMemAllocINTEL_fn shared_alloc;
  clMemBlockingFreeINTEL_fn free;
  clEnqueueMemcpyINTEL_fn copy;
  clEnqueueMemFillINTEL_fn fill;
  clEnqueueMigrateMemINTEL_fn migrate;
  clSetKernelArgMemPointerINTEL_fn set_pointer;
};

/// What the devices of a platform share: their streams wait for each other.
class platform_context {
public:
  platform_context(const loader& functions, const found_platform& platform);
  /// Made when a device is first used. Throws sycl::exception.
  cl_context native();
  const found_platform& platform() const noexcept { return m_platform; }

private:
  const loader& m_functions;
  const found_platform& m_platform;
  std::mutex m_mutex;
  cl_context m_context = nullptr;
};

class cl_device_context {
public:
  cl_device_context(const loader& functions, platform_context& shared, const found_device& device);
  cl_device_context(const cl_device_context&) = delete;

  const loader& functions() const noexcept { return m_functions; }
  const memory_functions& memory() const noexcept { return m_memory; }
  cl_device_id id() const noexcept { return m_device.id; }
  cl_context native() { return m_shared.native(); }
  platform_context& shared() const noexcept { return m_shared; }
  const std::string& name() const noexcept { return m_device.name; }

  template <class T>
  T info(cl_device_info which, T otherwise = {}) const {
    T value{};
    return m_functions.clGetDeviceInfo(id(), which, sizeof(value), &value, nullptr) == CL_SUCCESS ? value : otherwise;
  }
  std::string text(cl_device_info which) const { return text_info(m_functions.clGetDeviceInfo, id(), which); }

  /// Throws what is behind a result that is none of success, with the device's name.
  template <class Words>
  void check(cl_int result, const Words& doing) const {
    if (result != CL_SUCCESS) fail(result, doing());
  }

  /// Null when there is none.
  void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment);
  void deallocate(void* memory) noexcept;

private:
  [[noreturn]] void fail(cl_int result, const std::string& doing) const;

  const loader& m_functions;
  platform_context& m_shared;
  const found_device& m_device;
  memory_functions m_memory{};
};

}  // namespace sinter::opencl
