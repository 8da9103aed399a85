#pragma once
/// Opens the ICD loader of OpenCL at run time, and declares the functions that Sinter uses.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <backends/driver_end.hpp>
#include <string>
#include <type_traits>

// clang-format off
#define SINTER_OPENCL_FUNCTIONS(F)                                                                        \
  F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo)                           \
  F(clGetExtensionFunctionAddressForPlatform)                                                             \
  F(clCreateContext) F(clReleaseContext)                                                                  \
  F(clCreateCommandQueueWithProperties) F(clReleaseCommandQueue) F(clFlush)                               \
  F(clCreateProgramWithIL) F(clCreateProgramWithBinary) F(clBuildProgram) F(clGetProgramBuildInfo)        \
  F(clCreateProgramWithSource) F(clGetKernelInfo) F(clGetCommandQueueInfo) \
  F(clRetainProgram) F(clRetainKernel) F(clRetainContext) F(clRetainCommandQueue) F(clRetainDevice) F(clReleaseDevice) \
  F(clGetProgramInfo) F(clReleaseProgram) F(clGetContextInfo)                                                         \
  F(clCreateKernel) F(clReleaseKernel) F(clSetKernelArg) F(clSetKernelExecInfo) F(clGetKernelWorkGroupInfo) \
  F(clEnqueueNDRangeKernel) F(clEnqueueMarkerWithWaitList) F(clEnqueueBarrierWithWaitList)                \
  F(clWaitForEvents) F(clGetEventInfo) F(clGetEventProfilingInfo) F(clRetainEvent) F(clReleaseEvent)      \
  F(clGetDeviceAndHostTimer)                                                                               \
  F(clCreateBuffer) F(clReleaseMemObject) F(clRetainMemObject) F(clGetMemObjectInfo) F(clFinish) F(clCreateSubDevices) \
  F(clEnqueueReadBuffer) F(clEnqueueWriteBuffer) F(clEnqueueCopyBuffer) F(clEnqueueFillBuffer)             \
  F(clGetImageInfo) F(clCreateImage) F(clEnqueueReadImage) F(clEnqueueWriteImage)                          \
  F(clSVMAlloc) F(clSVMFree) F(clEnqueueSVMMemcpy) F(clEnqueueSVMMemFill)                                  \
  F(clSetKernelArgSVMPointer)
// Loaders before OpenCL 2.2 lack this function.
#define SINTER_OPENCL_OPTIONAL_FUNCTIONS(F) F(clSetProgramSpecializationConstant)
// clang-format on

namespace sinter::opencl {

struct loader {
#define SINTER_OPENCL_MEMBER(name) decltype(&::name) name;
  SINTER_OPENCL_FUNCTIONS(SINTER_OPENCL_MEMBER)
  SINTER_OPENCL_OPTIONAL_FUNCTIONS(SINTER_OPENCL_MEMBER)
#undef SINTER_OPENCL_MEMBER
};

/// Returns the loader, or null if there is none; loader_problem returns the reason.
const loader* find_loader();
const std::string& loader_problem();
/// Sets the text of loader_problem in advance, so that the loader is never opened.
void leave_loader_out(const std::string& problem);
/// Returns for example "OpenCL ICD Loader 2.3.1", or an empty text if the loader does not report its version. The call
/// opens the drivers, if they are not open yet.
std::string loader_version();

std::string text_of(cl_int result);

/// The driver's functions return this value after the driver has ended with the program (backends/driver_end.hpp).
/// text_of returns a sentence for this value.
constexpr cl_int driver_has_ended = -9991;

namespace detail {
template <class Function>
struct closed_function;
template <class Result, class... Parameters>
struct closed_function<Result(CL_API_CALL*)(Parameters...)> {
  static Result CL_API_CALL call(Parameters... parameters) {
    // Functions that create objects return errors through a parameter of type cl_int*.
    const auto note = []<class T>(T value) {
      if constexpr (std::is_same_v<T, cl_int*>) {
        if (value) *value = driver_has_ended;
      }
    };
    (note(parameters), ...);
    if constexpr (std::is_same_v<Result, cl_int>) {
      return driver_has_ended;
    } else {
      return Result();
    }
  }
};
}  // namespace detail

/// Queries the driver for an extension's function, and stores its address in `place`, which must never be destroyed.
/// Returns false if the driver has no such function.
template <class Function>
bool find_extension(const loader& functions, cl_platform_id platform, const char* name, Function& place) {
  place = reinterpret_cast<Function>(functions.clGetExtensionFunctionAddressForPlatform(platform, name));
  if (!place) return false;
  close_at_end(reinterpret_cast<void**>(&place), reinterpret_cast<void*>(detail::closed_function<Function>::call));
  return true;
}

/// Queries the driver for a text about an object. Returns an empty text if the driver has none.
template <class Object, class Query, class Name>
std::string text_info(Query query, Object object, Name name) {
  std::size_t bytes = 0;
  if (query(object, name, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (query(object, name, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace sinter::opencl
