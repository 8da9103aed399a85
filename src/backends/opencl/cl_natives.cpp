#include "cl_natives.hpp"

#include <algorithm>
#include <vector>

namespace sinter::opencl {

using native_kind = device_backend::native_kind;

void retain(const loader& functions, native_kind kind, void* object) {
  switch (kind) {
    case native_kind::device:
      functions.clRetainDevice(static_cast<cl_device_id>(object));
      break;
    case native_kind::context:
      functions.clRetainContext(static_cast<cl_context>(object));
      break;
    case native_kind::queue:
      functions.clRetainCommandQueue(static_cast<cl_command_queue>(object));
      break;
    case native_kind::event:
      functions.clRetainEvent(static_cast<cl_event>(object));
      break;
    case native_kind::program:
      functions.clRetainProgram(static_cast<cl_program>(object));
      break;
    case native_kind::kernel:
      functions.clRetainKernel(static_cast<cl_kernel>(object));
      break;
    case native_kind::memory:
      functions.clRetainMemObject(static_cast<cl_mem>(object));
      break;
  }
}

void release(const loader& functions, native_kind kind, void* object) {
  if (kind == native_kind::event) functions.clReleaseEvent(static_cast<cl_event>(object));
  if (kind == native_kind::memory) functions.clReleaseMemObject(static_cast<cl_mem>(object));
}

std::size_t bytes_of(cl_device_context& device, cl_mem memory) {
  const auto ask = device.functions().clGetMemObjectInfo;
  cl_context of = nullptr;
  cl_mem_object_type type = 0;
  std::size_t bytes = 0;
  const bool is_known = ask(memory, CL_MEM_CONTEXT, sizeof(of), &of, nullptr) == CL_SUCCESS &&
                        ask(memory, CL_MEM_TYPE, sizeof(type), &type, nullptr) == CL_SUCCESS &&
                        ask(memory, CL_MEM_SIZE, sizeof(bytes), &bytes, nullptr) == CL_SUCCESS;
  return is_known && of == device.native() && type == CL_MEM_OBJECT_BUFFER ? bytes : 0;
}

cl_program program_of(cl_device_context& device, cl_kernel kernel, std::string& name) {
  const auto ask = device.functions().clGetKernelInfo;
  cl_program program = nullptr;
  device.check(ask(kernel, CL_KERNEL_PROGRAM, sizeof(program), &program, nullptr),
               [] { return std::string("asking for a kernel's program"); });
  name = text_info(ask, kernel, CL_KERNEL_FUNCTION_NAME);
  return program;
}

bool has_device(const cl_device_context& device, cl_context context) {
  const auto ask = device.functions().clGetContextInfo;
  std::size_t bytes = 0;
  if (ask(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS) return false;
  std::vector<cl_device_id> all(bytes / sizeof(cl_device_id));
  if (ask(context, CL_CONTEXT_DEVICES, bytes, all.data(), nullptr) != CL_SUCCESS) return false;
  return std::find(all.begin(), all.end(), device.id()) != all.end();
}

}  // namespace sinter::opencl
