#pragma once
/// The OpenCL device that the driver uses: its memory, and kernels of SPIR-V modules.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace judge {

struct cl_core {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  clHostMemAllocINTEL_fn allocate_host = nullptr;
  clDeviceMemAllocINTEL_fn allocate_device = nullptr;
  clSharedMemAllocINTEL_fn allocate_shared = nullptr;
  clMemBlockingFreeINTEL_fn free = nullptr;
  clSetKernelArgMemPointerINTEL_fn set_pointer = nullptr;

  template <class T>
  T info(cl_device_info which) const {
    T value{};
    clGetDeviceInfo(device, which, sizeof(value), &value, nullptr);
    return value;
  }
  std::vector<std::size_t> sizes(cl_device_info which) const;
  std::string text(cl_device_info which) const;
};
/// Returns null if no platform accepts SPIR-V and has unified shared memory.
const cl_core* find_core();

struct parameter {
  enum class kind : std::uint8_t { value, pointer, local };
  kind what;
  std::size_t bytes;
};
/// The facts about a kernel that its SPIR-V module contains.
struct kernel_facts {
  std::vector<parameter> parameters;
  std::uint32_t group[3] = {};  ///< the size of groups that the kernel requires; 0: any
  std::uint32_t sub_group = 0;
};
/// The kernels of a module by name. The map is empty if the module is malformed or has a later version than `newest`.
std::map<std::string, kernel_facts> kernels_of(const std::vector<std::uint32_t>& spirv, std::uint32_t newest);

/// An argument that was set.
struct argument {
  bool is_set = false;
  std::string value;
  std::size_t local_bytes = 0;
};
/// A kernel with its arguments and its range, ready to be launched.
struct bound_kernel {
  cl_kernel kernel;
  const kernel_facts* facts;
  std::vector<argument> arguments;
  std::size_t offset[3], global[3], local[3];
  bool indirect;
};
void run(const bound_kernel& launch);

}  // namespace judge
