#pragma once
/// OpenCL without SYCL: kernels in OpenCL C, built and launched by the driver's own functions, in the context and on
/// the memory of a SYCL queue.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace bare {

inline void check(cl_int result, const char* call) {
  if (result == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", call, result);
  std::exit(1);
}

/// With these options, results are rounded like those of the runtime's kernels.
inline constexpr const char* build_options = "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt";

inline cl_program build(cl_context context, cl_device_id device, const char* source) {
  cl_int result = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &result);
  check(result, "clCreateProgramWithSource");
  result = clBuildProgram(program, 1, &device, build_options, nullptr, nullptr);
  if (result != CL_SUCCESS) {
    std::string log(10000, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::fprintf(stderr, "%s\n", log.c_str());
  }
  check(result, "clBuildProgram");
  return program;
}

class kernel {
public:
  kernel(cl_platform_id platform, cl_program program, const char* name) {
    cl_int result = CL_SUCCESS;
    m_kernel = clCreateKernel(program, name, &result);
    check(result, name);
    m_set_pointer = reinterpret_cast<clSetKernelArgMemPointerINTEL_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL"));
    if (!m_set_pointer) check(CL_INVALID_OPERATION, "clSetKernelArgMemPointerINTEL");
  }

  template <class... Arguments>
  const kernel& set(const Arguments&... arguments) const {
    cl_uint index = 0;
    (set_one(index++, arguments), ...);
    return *this;
  }

  /// Launches a kernel. If `local` is null, the driver chooses the group size.
  void launch(cl_command_queue queue, std::initializer_list<std::size_t> global, const std::size_t* local = nullptr,
              cl_event* event = nullptr) const {
    const auto dimensions = static_cast<cl_uint>(global.size());
    check(clEnqueueNDRangeKernel(queue, m_kernel, dimensions, nullptr, global.begin(), local, 0, nullptr, event),
          "clEnqueueNDRangeKernel");
  }

private:
  template <class T>
  void set_one(cl_uint index, const T& value) const {
    if constexpr (std::is_pointer_v<T>) {
      check(m_set_pointer(m_kernel, index, value), "clSetKernelArgMemPointerINTEL");
    } else {
      check(clSetKernelArg(m_kernel, index, sizeof(value), &value), "clSetKernelArg");
    }
  }

  cl_kernel m_kernel = nullptr;
  clSetKernelArgMemPointerINTEL_fn m_set_pointer = nullptr;
};

}  // namespace bare
