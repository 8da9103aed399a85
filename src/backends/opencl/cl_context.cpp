#include "cl_context.hpp"

#include <sycl/exception.hpp>

namespace sinter::opencl {

platform_context::platform_context(const loader& functions, const found_platform& platform)
    : m_functions(functions), m_platform(platform) {}

platform_context::platform_context(const loader& functions, const found_platform& platform, cl_context native)
    : m_functions(functions), m_platform(platform), m_context(native) {
  functions.clRetainContext(native);
}

cl_context platform_context::native() {
  if (m_whole) return m_whole->native();
  std::lock_guard lock(m_mutex);
  if (m_context) return m_context;
  std::vector<cl_device_id> devices;
  for (const found_device& each : m_platform.devices) {
    if (each.refused.empty()) devices.push_back(each.id);
  }
  devices.insert(devices.end(), m_parts.begin(), m_parts.end());
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(m_platform.id), 0};
  cl_int result = CL_SUCCESS;
  m_context = m_functions.clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(), nullptr,
                                          nullptr, &result);
  if (result != CL_SUCCESS) {
    sycl::detail::throw_error(sycl::errc::runtime,
                              "platform '" + m_platform.name + "': making a context failed: " + text_of(result));
  }
  note_driver_use();
  return m_context;
}

platform_context& platform_context::divide(const found_device& whole, std::span<const std::uint32_t> compute_units) {
  std::lock_guard lock(m_mutex);
  std::vector<cl_device_partition_property> wanted{CL_DEVICE_PARTITION_BY_COUNTS};
  for (const std::uint32_t units : compute_units) wanted.push_back(units);
  wanted.insert(wanted.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  std::vector<cl_device_id> parts(compute_units.size());
  cl_uint count = 0;
  const cl_int result =
      m_functions.clCreateSubDevices(whole.id, wanted.data(), static_cast<cl_uint>(parts.size()), parts.data(), &count);
  if (result != CL_SUCCESS || count != parts.size()) {
    sycl::detail::throw_error(sycl::errc::runtime,
                          "create_sub_devices: device '" + whole.name + "': dividing it failed: " + text_of(result));
  }
  // The object is never destroyed, because devices are never destroyed either.
  auto* divided = new found_platform(m_platform);
  divided->devices.clear();
  for (cl_device_id each : parts)
    divided->devices.push_back({each, whole.name, {}, whole.memory, whole.spirv, m_context != nullptr});
  auto* made = new platform_context(m_functions, *divided);
  if (!m_context) {
    m_parts.insert(m_parts.end(), parts.begin(), parts.end());
    made->m_whole = this;
  }
  return *made;
}

cl_device_context::cl_device_context(const loader& functions, platform_context& shared, const found_device& device)
    : m_functions(functions),
      m_shared(shared),
      m_device(device),
      m_memory(functions, shared.platform(), device, shared.table()) {}

void cl_device_context::refuse_at_end(const char* doing) const {
  if (!drivers_have_ended()) return;
  let_program_end();
  fail(driver_has_ended, doing);
}

void cl_device_context::fail(cl_int result, const std::string& doing) const {
  const bool memory =
      result == CL_OUT_OF_RESOURCES || result == CL_OUT_OF_HOST_MEMORY || result == CL_MEM_OBJECT_ALLOCATION_FAILURE;
  sycl::detail::throw_error(memory ? sycl::errc::memory_allocation : sycl::errc::runtime,
                            "device '" + name() + "': " + doing + " failed: " + text_of(result));
}

void* cl_device_context::allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) {
  refuse_at_end("allocating memory");
  return m_memory.allocate(native(), kind, bytes, alignment);
}

void cl_device_context::deallocate(void* memory) noexcept {
  try {
    m_memory.deallocate(native(), memory);
  } catch (...) {
    // native() throws if there is no context. In this case no memory was allocated, so nothing has to be freed.
  }
}

}  // namespace sinter::opencl
