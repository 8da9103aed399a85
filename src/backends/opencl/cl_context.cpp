#include "cl_context.hpp"

#include <sycl/exception.hpp>

namespace sinter::opencl {

platform_context::platform_context(const loader& functions, const found_platform& platform)
    : m_functions(functions), m_platform(platform) {}

cl_context platform_context::native() {
  std::lock_guard lock(m_mutex);
  if (m_context) return m_context;
  std::vector<cl_device_id> devices;
  for (const found_device& each : m_platform.devices) {
    if (each.refused.empty()) devices.push_back(each.id);
  }
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(m_platform.id), 0};
  cl_int result = CL_SUCCESS;
  m_context = m_functions.clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(), nullptr,
                                          nullptr, &result);
  if (result != CL_SUCCESS) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                          "platform '" + m_platform.name + "': making a context failed: " + text_of(result));
  }
  return m_context;
}

cl_device_context::cl_device_context(const loader& functions, platform_context& shared, const found_device& device)
    : m_functions(functions), m_shared(shared), m_device(device) {
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function =
        reinterpret_cast<Function>(functions.clGetExtensionFunctionAddressForPlatform(shared.platform().id, name));
    if (function) return;
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                          "device '" + device.name + "': its driver has no " + name);
  };
  find(m_memory.host_alloc, "clHostMemAllocINTEL");
  find(m_memory.device_alloc, "clDeviceMemAllocINTEL");
  find(m_memory.shared_alloc, "clSharedMemAllocINTEL");
  find(m_memory.free, "clMemBlockingFreeINTEL");
  find(m_memory.copy, "clEnqueueMemcpyINTEL");
  find(m_memory.fill, "clEnqueueMemFillINTEL");
  find(m_memory.migrate, "clEnqueueMigrateMemINTEL");
  find(m_memory.set_pointer, "clSetKernelArgMemPointerINTEL");
}

void cl_device_context::fail(cl_int result, const std::string& doing) const {
  const bool memory =
      result == CL_OUT_OF_RESOURCES || result == CL_OUT_OF_HOST_MEMORY || result == CL_MEM_OBJECT_ALLOCATION_FAILURE;
  throw sycl::exception(sycl::make_error_code(memory ? sycl::errc::memory_allocation : sycl::errc::runtime),
                        "device '" + name() + "': " + doing + " failed: " + text_of(result));
}

void* cl_device_context::allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) {
  const cl_context context = native();
  // Drivers know alignments of types; pages are what the runtime asks for beyond.
  const auto align = static_cast<cl_uint>(alignment <= 128 ? alignment : 0);
  cl_int result = CL_SUCCESS;
  void* memory = nullptr;
  switch (kind) {
    case memory_kind::device:
      memory = m_memory.device_alloc(context, id(), nullptr, bytes, align, &result);
      break;
    case memory_kind::host:
      memory = m_memory.host_alloc(context, nullptr, bytes, align, &result);
      break;
    case memory_kind::shared:
      memory = m_memory.shared_alloc(context, id(), nullptr, bytes, align, &result);
      break;
  }
  return result == CL_SUCCESS ? memory : nullptr;
}

void cl_device_context::deallocate(void* memory) noexcept {
  try {
    m_memory.free(native(), memory);
  } catch (...) {
    // Without a context nothing was allocated.
  }
}

}  // namespace sinter::opencl
