#include "command_buffers.hpp"

#include <vector>

namespace sinter::opencl {
namespace {

constexpr cl_device_info capabilities = 0x12A9, supported_queues = 0x129A, required_queues = 0x12AA,
                         changeable = 0x12B0;
constexpr cl_bitfield simultaneous_use = 1 << 2;

/// Returns the extension's version, or 0 if the device lacks the extension.
cl_version version_of(const cl_device_context& device, const std::string& extension) {
  std::size_t bytes = 0;
  const auto ask = device.functions().clGetDeviceInfo;
  if (ask(device.id(), CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &bytes) != CL_SUCCESS) return 0;
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  if (ask(device.id(), CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, all.data(), nullptr) != CL_SUCCESS) return 0;
  for (const cl_name_version& each : all) {
    if (each.name == extension) return each.version;
  }
  return 0;
}

std::string text_of_version(cl_version version) {
  return std::to_string(CL_VERSION_MAJOR(version)) + "." + std::to_string(CL_VERSION_MINOR(version)) + "." +
         std::to_string(CL_VERSION_PATCH(version));
}

}  // namespace

command_buffers::command_buffers(const cl_device_context& device) : m_problem(find(device)) {}

/// Finds the driver's functions. Returns the reason why command buffers can't be used, or an empty text.
std::string command_buffers::find(const cl_device_context& device) {
  const cl_version version = version_of(device, "cl_khr_command_buffer");
  if (version == 0) return "the driver has no command buffers";
  if (CL_VERSION_MAJOR(version) != 1) {
    return "the driver has command buffers of version " + text_of_version(version) + ", and ours is 1.0";
  }
  if ((device.info<cl_bitfield>(capabilities) & simultaneous_use) == 0) {
    return "the driver's command buffers can't be under way twice";
  }
  if (device.info<cl_bitfield>(required_queues) != 0) {
    return "the driver's command buffers need queues with properties that ours don't have";
  }
  m_concurrent = (device.info<cl_bitfield>(supported_queues) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  const auto get = [&]<class Function>(Function& function, const char* name) {
    return find_extension(device.functions(), device.shared().platform().id, name, function);
  };
  for (const bool there : {get(create, "clCreateCommandBufferKHR"), get(finalize, "clFinalizeCommandBufferKHR"),
                           get(release, "clReleaseCommandBufferKHR"), get(enqueue, "clEnqueueCommandBufferKHR"),
                           get(launch, "clCommandNDRangeKernelKHR")}) {
    if (!there) return "the driver lacks functions of command buffers";
  }
  // The commands for copies and fills work only with shared virtual memory. These two kinds of commands are used if all
  // memory of the host and the device is shared virtual memory.
  const auto shared_memory = device.info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES);
  if ((shared_memory & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0 &&
      !(get(copy, "clCommandSVMMemcpyKHR") && get(fill, "clCommandSVMMemFillKHR"))) {
    copy = nullptr;
  }
  // The driver must be able to change offsets, sizes and arguments.
  const bool changes_all = (device.info<cl_bitfield>(changeable) & all_changes) == all_changes;
  if (changes_all && version_of(device, "cl_khr_command_buffer_mutable_dispatch") >= CL_MAKE_VERSION(0, 9, 3)) {
    get(update, "clUpdateMutableCommandsKHR");
  }
  return {};
}

}  // namespace sinter::opencl
