#include "cl_natives.hpp"

#include <sycl/exception.hpp>

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

/// Waits for an event. The program might never complete a user event (clCreateUserEvent), so the wait also ends when
/// the main thread ends; the function then returns false.
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

namespace {

using sycl::detail::texel_type;
constexpr struct {
  cl_channel_type native;
  texel_type type;
} channel_types[] = {{CL_SNORM_INT8, texel_type::snorm8},     {CL_SNORM_INT16, texel_type::snorm16},
                     {CL_UNORM_INT8, texel_type::unorm8},     {CL_UNORM_INT16, texel_type::unorm16},
                     {CL_SIGNED_INT8, texel_type::sint8},     {CL_SIGNED_INT16, texel_type::sint16},
                     {CL_SIGNED_INT32, texel_type::sint32},   {CL_UNSIGNED_INT8, texel_type::uint8},
                     {CL_UNSIGNED_INT16, texel_type::uint16}, {CL_UNSIGNED_INT32, texel_type::uint32},
                     {CL_HALF_FLOAT, texel_type::fp16},       {CL_FLOAT, texel_type::fp32}};

/// Returns traits without channels if SYCL's images don't have the format.
sycl::detail::image_traits traits_of(const cl_image_format& format) {
  const bool bgra = format.image_channel_order == CL_BGRA;
  if (!bgra && format.image_channel_order != CL_RGBA) return {};
  for (const auto& each : channel_types) {
    if (each.native == format.image_channel_data_type) return {each.type, 4, bgra};
  }
  return {};
}
cl_image_format format_of(sycl::detail::image_traits traits) {
  cl_image_format format{static_cast<cl_channel_order>(traits.is_bgra() ? CL_BGRA : CL_RGBA), CL_FLOAT};
  for (const auto& each : channel_types) {
    if (each.type == traits.type()) format.image_channel_data_type = each.native;
  }
  return format;
}

}  // namespace

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

native_image cl_natives::image_of(void* object) {
  const auto image = static_cast<cl_mem>(object);
  const loader& functions = m_device.functions();
  native_image result;
  cl_context of = nullptr;
  cl_mem_object_type type = 0;
  cl_image_format format{};
  const bool is_known =
      functions.clGetMemObjectInfo(image, CL_MEM_CONTEXT, sizeof(of), &of, nullptr) == CL_SUCCESS &&
      functions.clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, nullptr) == CL_SUCCESS &&
      functions.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, nullptr) == CL_SUCCESS;
  if (!is_known || of != m_device.native()) return result;
  result.dimensions = type == CL_MEM_OBJECT_IMAGE1D   ? 1
                      : type == CL_MEM_OBJECT_IMAGE2D ? 2
                      : type == CL_MEM_OBJECT_IMAGE3D ? 3
                                                      : 0;
  constexpr cl_image_info extents[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
  for (unsigned d = 0; d < result.dimensions; ++d) {
    m_device.check(functions.clGetImageInfo(image, extents[d], sizeof(std::size_t), &result.extent[d], nullptr),
                   [] { return std::string("asking for the size of an image"); });
  }
  result.traits = traits_of(format);
  return result;
}

void* cl_natives::make_image(const native_image& wanted) {
  constexpr cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D};
  cl_image_desc shape{};
  shape.image_type = types[wanted.dimensions - 1];
  shape.image_width = wanted.extent[0];
  shape.image_height = wanted.dimensions > 1 ? wanted.extent[1] : 0;
  shape.image_depth = wanted.dimensions > 2 ? wanted.extent[2] : 0;
  const cl_image_format format = format_of(wanted.traits);
  cl_int result = CL_SUCCESS;
  const cl_mem made =
      m_device.functions().clCreateImage(m_device.native(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &result);
  if (result == CL_SUCCESS) return made;
  sycl::detail::throw_error(sycl::errc::feature_not_supported,
                            "device '" + m_owner.facts().name + "' has no image object of this format and size: " +
                                text_of(result));
}

void cl_natives::copy(void* object, void* host, std::size_t bytes, bool to_object) {
  const loader& functions = m_device.functions();
  const auto memory = static_cast<cl_mem>(object);
  cl_stream stream(m_device, false);
  auto* const queue = static_cast<cl_command_queue>(stream.native());
  if (const native_image image = image_of(object); image.dimensions != 0) {
    constexpr std::size_t origin[3] = {};
    cl_int copied = to_object ? functions.clEnqueueWriteImage(queue, memory, CL_TRUE, origin, image.extent, 0, 0,
                                                                    host, 0, nullptr, nullptr)
                                    : functions.clEnqueueReadImage(queue, memory, CL_TRUE, origin, image.extent, 0, 0,
                                                                   host, 0, nullptr, nullptr);
    // Intel's driver for CPUs returns before texels are copied (docs/opencl_defects.md).
    if (copied == CL_SUCCESS) copied = functions.clFinish(queue);
    return m_device.check(copied, [&] { return "copying " + std::to_string(bytes) + " bytes of an image"; });
  }
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
