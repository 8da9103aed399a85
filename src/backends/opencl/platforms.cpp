#include "platforms.hpp"

#include <signal.h>

#include <algorithm>

namespace sinter::opencl {
namespace {

bool has_extension(const std::string& all, const std::string& wanted) {
  const std::string padded = " " + all + " ";
  return padded.find(" " + wanted + " ") != std::string::npos;
}

/// Returns the minor number of the newest SPIR-V version, 1.0 to 1.4, that the driver accepts, or -1 if it accepts
/// none.
int spirv_of(const std::string& versions) {
  for (int minor = 9; minor >= 0; --minor) {
    if (versions.find("SPIR-V_1." + std::to_string(minor)) != std::string::npos) return std::min(minor, 4);
  }
  return -1;
}

/// The names of the extension for unified memory and of its functions that cl_memory.hpp uses.
constexpr const char* unified_memory = "cl_intel_unified_shared_memory";
constexpr const char* memory_functions[] = {
    "clHostMemAllocINTEL",  "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL",    "clMemBlockingFreeINTEL",
    "clEnqueueMemcpyINTEL", "clEnqueueMemFillINTEL", "clEnqueueMigrateMemINTEL", "clSetKernelArgMemPointerINTEL"};

/// A device is used only if its kernels take at least this many bytes of arguments: enough for a gpu_geometry and
/// pointers to other structures. OpenCL's embedded profile guarantees 256 bytes.
constexpr std::size_t least_arguments = 128;

/// Returns the reason why the device can't be used, or an empty text.
std::string refusal(const loader& functions, cl_platform_id platform, cl_device_id id, const std::string& spirv) {
  const std::string extensions = text_info(functions.clGetDeviceInfo, id, CL_DEVICE_EXTENSIONS);
  cl_bool available = CL_FALSE, compiles = CL_FALSE, little = CL_FALSE;
  cl_uint bits = 0;
  functions.clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof(available), &available, nullptr);
  functions.clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiles), &compiles, nullptr);
  functions.clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof(little), &little, nullptr);
  functions.clGetDeviceInfo(id, CL_DEVICE_ADDRESS_BITS, sizeof(bits), &bits, nullptr);
  if (!available) return "the driver says that it is not available";
  if (spirv.empty()) return "its driver takes no SPIR-V";
  if (spirv_of(spirv) < 0) return "its driver takes only " + spirv + ", and code for it is SPIR-V 1.0 to 1.4";
  if (!compiles) return "its driver has no compiler";
  if (bits != 64 || !little) return "it has no little-endian addresses of 64 bits";
  std::size_t arguments = 1024;
  functions.clGetDeviceInfo(id, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(arguments), &arguments, nullptr);
  if (arguments < least_arguments) {
    return "its kernels take " + std::to_string(arguments) + " bytes of arguments, and ours need " +
           std::to_string(least_arguments);
  }
  if (!has_extension(extensions, unified_memory)) return {};
  for (const char* name : memory_functions) {
    if (!functions.clGetExtensionFunctionAddressForPlatform(platform, name)) {
      return std::string("its driver has no function ") + name;
    }
  }
  return {};
}

memory_way memory_of(const loader& functions, cl_device_id id) {
  if (has_extension(text_info(functions.clGetDeviceInfo, id, CL_DEVICE_EXTENSIONS), unified_memory)) {
    return memory_way::unified;
  }
  cl_device_svm_capabilities shared = 0;
  // Drivers before OpenCL 2.0 return an error for this query.
  if (functions.clGetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES, sizeof(shared), &shared, nullptr) != CL_SUCCESS) {
    shared = 0;
  }
  if ((shared & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) return memory_way::fine_shared_virtual;
  if ((shared & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0) return memory_way::coarse_shared_virtual;
  return memory_way::objects;
}

/// Restores the thread's signal stack. A driver that contains LLVM replaces the signal stack of the thread that calls
/// it first. The owner of the old stack, such as a sanitizer, would mistake the new stack for its own when the thread
/// ends.
class kept_signal_stack {
public:
  kept_signal_stack() { sigaltstack(nullptr, &m_before); }
  kept_signal_stack(const kept_signal_stack&) = delete;
  ~kept_signal_stack() { sigaltstack(&m_before, nullptr); }

private:
  stack_t m_before{};
};

std::vector<found_platform> ask() {
  std::vector<found_platform> result;
  const kept_signal_stack keep;
  const loader* functions = find_loader();
  if (!functions) return result;
  cl_uint count = 0;
  if (functions->clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return result;
  std::vector<cl_platform_id> platforms(count);
  if (functions->clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return result;
  for (cl_platform_id id : platforms) {
    found_platform platform{id,
                            text_info(functions->clGetPlatformInfo, id, CL_PLATFORM_NAME),
                            text_info(functions->clGetPlatformInfo, id, CL_PLATFORM_VENDOR),
                            text_info(functions->clGetPlatformInfo, id, CL_PLATFORM_VERSION),
                            {}};
    cl_uint devices = 0;
    if (functions->clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) == CL_SUCCESS) {
      std::vector<cl_device_id> ids(devices);
      if (functions->clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr) != CL_SUCCESS) ids.clear();
      for (cl_device_id device : ids) {
        const std::string spirv = text_info(functions->clGetDeviceInfo, device, CL_DEVICE_IL_VERSION);
        platform.devices.push_back({device, text_info(functions->clGetDeviceInfo, device, CL_DEVICE_NAME),
                                    refusal(*functions, id, device, spirv), memory_of(*functions, device),
                                    spirv_of(spirv)});
      }
    }
    result.push_back(std::move(platform));
  }
  note_driver_use();
  return result;
}

}  // namespace

const char* text_of(memory_way way) noexcept {
  switch (way) {
    case memory_way::unified:
      return "unified shared memory (cl_intel_unified_shared_memory)";
    case memory_way::fine_shared_virtual:
      return "fine-grained shared virtual memory (SVM)";
    case memory_way::coarse_shared_virtual:
      return "coarse-grained shared virtual memory (SVM): no shared and host USM";
    case memory_way::objects:
      return "memory objects (cl_mem): buffers, no USM";
  }
  return "";
}

const std::vector<found_platform>& find_platforms() {
  static const auto* platforms = new std::vector<found_platform>(ask());
  return *platforms;
}

std::string driver_version(const found_device& device) {
  return text_info(find_loader()->clGetDeviceInfo, device.id, CL_DRIVER_VERSION);
}

}  // namespace sinter::opencl
