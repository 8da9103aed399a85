#pragma once
/// The ICD loader of OpenCL, opened at run time. The entry points that we use stand here.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

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
  F(clSVMAlloc) F(clSVMFree) F(clEnqueueSVMMemcpy) F(clEnqueueSVMMemFill)                                  \
  F(clSetKernelArgSVMPointer)
// Since OpenCL 2.2: may be missing.
#define SINTER_OPENCL_OPTIONAL_FUNCTIONS(F) F(clSetProgramSpecializationConstant)
// clang-format on

namespace sinter::opencl {

struct loader {
#define SINTER_OPENCL_MEMBER(name) decltype(&::name) name;
  SINTER_OPENCL_FUNCTIONS(SINTER_OPENCL_MEMBER)
  SINTER_OPENCL_OPTIONAL_FUNCTIONS(SINTER_OPENCL_MEMBER)
#undef SINTER_OPENCL_MEMBER
};

/// Null: there is none, and why.
const loader* find_loader();
const std::string& loader_problem();
/// Before anybody asks: the loader is not opened, and that is its problem.
void leave_loader_out(const std::string& problem);
/// "OpenCL ICD Loader 2.3.1"; empty: it does not say. Asking opens the drivers, if they are not open yet.
std::string loader_version();

std::string text_of(cl_int result);

/// What the driver says of an object; empty: nothing.
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
