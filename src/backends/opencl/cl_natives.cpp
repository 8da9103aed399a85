#include "cl_natives.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <base/large_stack.hpp>
#include <base/program_end.hpp>
#include <chrono>
#include <images/registry.hpp>
#include <thread>
#include <vector>

#include "cl_modules.hpp"
#include "cl_programs.hpp"
#include "cl_stream.hpp"

namespace sinter::opencl {
namespace {

/// The program may never set an event of its own (clCreateUserEvent), so the wait ends with the main thread. False
/// then.
bool wait_for_user(const loader& functions, cl_event event) {
  cl_command_type type = 0;
  functions.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr);
  if (type != CL_COMMAND_USER) return true;
  constexpr std::chrono::microseconds longest(500);
  for (std::chrono::microseconds wait(1);; wait = std::min(2 * wait, longest)) {
    cl_int status = CL_COMPLETE;
    functions.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
    if (status <= CL_COMPLETE) return true;
    if (has_main_thread_ended()) return false;
    std::this_thread::sleep_for(wait);
  }
}

}  // namespace

std::string cl_natives::extensions(bool of_platform) const {
  const auto ask = m_device.functions().clGetPlatformInfo;
  return of_platform ? text_info(ask, m_device.shared().platform().id, CL_PLATFORM_EXTENSIONS)
                     : m_device.text(CL_DEVICE_EXTENSIONS);
}

device_backend* cl_natives::in_context(void* context) {
  return device_in_context(m_device, static_cast<cl_context>(context));
}

void cl_natives::retain(native_kind kind, void* object) {
  const loader& functions = m_device.functions();
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

void cl_natives::release(native_kind kind, void* object) {
  const loader& functions = m_device.functions();
  if (kind == native_kind::event) functions.clReleaseEvent(static_cast<cl_event>(object));
  if (kind == native_kind::memory) functions.clReleaseMemObject(static_cast<cl_mem>(object));
}

std::unique_ptr<device_stream> cl_natives::adopt_stream(void* stream, bool measures) {
  return std::make_unique<cl_stream>(m_device, measures, static_cast<cl_command_queue>(stream));
}

void cl_natives::wait_for(void* event) {
  const auto native = static_cast<cl_event>(event);
  if (!wait_for_user(m_device.functions(), native)) return;
  m_device.check(m_device.functions().clWaitForEvents(1, &native),
                 [] { return std::string("waiting for an event of the program's"); });
}

std::size_t cl_natives::bytes_of(void* object) {
  const auto memory = static_cast<cl_mem>(object);
  const auto ask = m_device.functions().clGetMemObjectInfo;
  cl_context of = nullptr;
  cl_mem_object_type type = 0;
  std::size_t bytes = 0;
  const bool is_known = ask(memory, CL_MEM_CONTEXT, sizeof(of), &of, nullptr) == CL_SUCCESS &&
                        ask(memory, CL_MEM_TYPE, sizeof(type), &type, nullptr) == CL_SUCCESS &&
                        ask(memory, CL_MEM_SIZE, sizeof(bytes), &bytes, nullptr) == CL_SUCCESS;
  return is_known && of == m_device.native() && type == CL_MEM_OBJECT_BUFFER ? bytes : 0;
}

void cl_natives::copy(void* object, void* host, std::size_t bytes, bool to_object) {
  const loader& functions = m_device.functions();
  const auto memory = static_cast<cl_mem>(object);
  cl_stream stream(m_device, false);
  auto* const queue = static_cast<cl_command_queue>(stream.native());
  const cl_int result =
      to_object ? functions.clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, host, 0, nullptr, nullptr)
                : functions.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, host, 0, nullptr, nullptr);
  m_device.check(result, [&] { return "copying " + std::to_string(bytes) + " bytes of a cl_mem"; });
}

std::unique_ptr<native_module> cl_natives::build(const kernel_source& source, std::string& log) {
  std::unique_ptr<native_module> made;
  on_large_stack([&] { made = build_module(m_device, m_target, source, log); });
  return made;
}

std::unique_ptr<native_module> cl_natives::adopt_module(void* program, void* kernel) {
  return adopt_program(m_device, m_target, static_cast<cl_program>(program), static_cast<cl_kernel>(kernel));
}

void* cl_natives::program_of(void* kernel, std::string& name) {
  const auto ask = m_device.functions().clGetKernelInfo;
  cl_program program = nullptr;
  m_device.check(ask(static_cast<cl_kernel>(kernel), CL_KERNEL_PROGRAM, sizeof(program), &program, nullptr),
                 [] { return std::string("asking for a kernel's program"); });
  name = text_info(ask, static_cast<cl_kernel>(kernel), CL_KERNEL_FUNCTION_NAME);
  return program;
}

device_natives::code cl_natives::code_of(abi::kernel_descriptor& kernel, const abi::specialization_table* constants) {
  const image_use keep_image(kernel);
  kernel_launch launch{};
  launch.kernel = &kernel;
  launch.constants = constants;
  find_driver_code(m_owner, launch);
  const loaded_program& loaded = load(m_device, *launch.code, kernel);
  retain(native_kind::program, loaded.program);
  retain(native_kind::kernel, loaded.function);
  return {loaded.program, loaded.function};
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
