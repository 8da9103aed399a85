#pragma once
/// Access to the native objects of SYCL objects (SYCL 2020 4.5.1). The native objects are the CUDA driver's on NVIDIA
/// GPUs, and OpenCL's on devices of OpenCL drivers. HIP and Level Zero have headers in ext/oneapi/backend. The CPU has
/// no native objects.
///
/// The native types of CUDA are declared in <cuda.h>, which programs need not include: CUdevice, CUcontext, CUstream,
/// CUevent, and CUdeviceptr for memory (interop_handle::get_native_mem). Ownership does not change. An object from
/// get_native exists as long as its SYCL object. An object that is passed to make_... must stay valid as long as SYCL
/// uses it.
///
/// The native types of OpenCL are declared in <CL/cl.h>: cl_platform_id, cl_device_id, cl_context, cl_command_queue,
/// cl_kernel, and vectors of cl_event, cl_program and cl_mem. For OpenCL, get_native retains an object for the caller,
/// who has to release it. A SYCL object also retains the native objects that it is made from.

#include <string>
#include <type_traits>
#include <vector>

#include "backend_enum.hpp"
#include "buffer.hpp"
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "image.hpp"
#include "kernel_bundle.hpp"
#include "queue.hpp"

/// SYCL_BACKEND_OPENCL says that get_native and make_... work with OpenCL's objects (OpenCL backend specification).
#define SYCL_BACKEND_OPENCL 1

struct CUctx_st;
struct CUevent_st;
struct CUgraph_st;
struct CUstream_st;
struct _cl_command_buffer_khr;
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_kernel;
struct _cl_mem;
struct _cl_platform_id;
struct _cl_program;

namespace sycl::inline _V1 {

namespace detail {

using executable_command_graph =
    ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>;

template <backend Backend, class Object>
struct native_object {};
template <>
struct native_object<backend::ext_oneapi_cuda, executable_command_graph> : std::type_identity<CUgraph_st*> {};
template <>
struct native_object<backend::opencl, executable_command_graph> : std::type_identity<_cl_command_buffer_khr*> {};
template <>
struct native_object<backend::ext_oneapi_cuda, device> : std::type_identity<int> {};
template <>
struct native_object<backend::ext_oneapi_cuda, context> : std::type_identity<CUctx_st*> {};
template <>
struct native_object<backend::ext_oneapi_cuda, queue> : std::type_identity<CUstream_st*> {};
template <>
struct native_object<backend::ext_oneapi_cuda, event> : std::type_identity<CUevent_st*> {};
template <class T, int Dimensions, class Allocator>
struct native_object<backend::ext_oneapi_cuda, buffer<T, Dimensions, Allocator>>
    : std::type_identity<unsigned long long> {};
template <>
struct native_object<backend::opencl, platform> : std::type_identity<_cl_platform_id*> {};
template <>
struct native_object<backend::opencl, device> : std::type_identity<_cl_device_id*> {};
template <>
struct native_object<backend::opencl, context> : std::type_identity<_cl_context*> {};
template <>
struct native_object<backend::opencl, queue> : std::type_identity<_cl_command_queue*> {};
template <>
struct native_object<backend::opencl, event> : std::type_identity<std::vector<_cl_event*>> {};
template <class T, int Dimensions, class Allocator>
struct native_object<backend::opencl, buffer<T, Dimensions, Allocator>> {
  using type = std::vector<_cl_mem*>;
  using input = _cl_mem*;
};
template <int Dimensions, class Allocator>
struct native_object<backend::opencl, unsampled_image<Dimensions, Allocator>> {
  using type = std::vector<_cl_mem*>;
  using input = _cl_mem*;
};
template <int Dimensions, class Allocator>
struct native_object<backend::opencl, sampled_image<Dimensions, Allocator>> {
  using type = std::vector<_cl_mem*>;
  using input = _cl_mem*;
};
template <bundle_state State>
struct native_object<backend::opencl, kernel_bundle<State>> {
  using type = std::vector<_cl_program*>;
  using input = _cl_program*;
};
template <>
struct native_object<backend::opencl, kernel> : std::type_identity<_cl_kernel*> {};
template <class Native>
struct native_input : std::type_identity<typename Native::type> {};
template <class Native>
  requires(requires { typename Native::input; })
struct native_input<Native> {
  using type = typename Native::input;
};

// These functions throw errc::backend_mismatch if the object belongs to another backend than `wanted`. The error
// message names the public function `call`.
SINTER_EXPORT int native_device(const device& object, backend wanted, const char* call);
/// Throws errc::invalid for a context of several devices, because each of these devices has its own native context.
SINTER_EXPORT void* native_context(const context& object, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue& object, backend wanted, const char* call);
SINTER_EXPORT void* native_event(const event& object, backend wanted, const char* call);
SINTER_EXPORT device device_of_native(int number, backend wanted);
SINTER_EXPORT context context_of_native(void* native, backend wanted, const async_handler& handler);
SINTER_EXPORT queue queue_of_native(void* native, backend wanted, const context& context, const device* device,
                                    const async_handler& handler, const property_list& properties);
SINTER_EXPORT event event_of_native(void* native, backend wanted, const context& context);

// Functions for OpenCL's native objects. These functions throw errc::backend_mismatch for objects of another backend,
// and errc::invalid for native objects that belong to none of SYCL's devices.
SINTER_EXPORT _cl_platform_id* cl_native(const platform& object, const char* call);
SINTER_EXPORT _cl_device_id* cl_native(const device& object, const char* call);
SINTER_EXPORT _cl_context* cl_native(const context& object, const char* call);
SINTER_EXPORT _cl_command_queue* cl_native(const queue& object, const char* call);
SINTER_EXPORT std::vector<_cl_event*> cl_native(const event& object, const char* call);
SINTER_EXPORT std::vector<_cl_program*> cl_native(const bundle_base& object, const char* call);
SINTER_EXPORT _cl_kernel* cl_native(const kernel& object, const char* call);
SINTER_EXPORT platform platform_of_cl(_cl_platform_id* native);
SINTER_EXPORT device device_of_cl(_cl_device_id* native);
SINTER_EXPORT context context_of_cl(_cl_context* native, const async_handler& handler);
SINTER_EXPORT queue queue_of_cl(_cl_command_queue* native, const context& context, const device* device,
                                const async_handler& handler, const property_list& properties);
SINTER_EXPORT event event_of_cl(const std::vector<_cl_event*>& natives, const context& context);
SINTER_EXPORT shared<kernel_bundle_impl> bundle_of_cl(_cl_program* native, const context& context);
SINTER_EXPORT kernel kernel_of_cl(_cl_kernel* native, const context& context);
/// Waits for the event `available`. Then returns the number of bytes that a buffer with the contents of the cl_mem
/// needs: the size of the cl_mem, rounded down to whole elements.
SINTER_EXPORT std::size_t cl_memory_bytes(_cl_mem* native, const context& context, std::size_t element_bytes,
                                          event& available);
/// Copies the contents of the native memory to the buffer. The buffer's destructor copies the buffer's contents back to
/// the native memory.
SINTER_EXPORT void copy_cl_memory(buffer_record* record, _cl_mem* native, const context& context);
SINTER_EXPORT std::vector<_cl_mem*> cl_native(const buffer_record& record);
/// Waits for the event `available`. Then returns the format of an image object and writes its extents to `extents`.
SINTER_EXPORT image_format cl_image_facts(_cl_mem* native, const context& context, int dimensions,
                                          std::size_t* extents, event& available, const char* call);
template <int Dimensions>
struct cl_image {
  range<Dimensions> size{};
  image_format format;
  cl_image(_cl_mem* native, const context& context, event& available, const char* call) {
    std::size_t extents[3] = {1, 1, 1};
    format = cl_image_facts(native, context, Dimensions, extents, available, call);
    for (int d = 0; d < Dimensions; ++d) size[d] = extents[d];
  }
};

/// The backends that the functions of this header support. Level Zero has a header of its own.
template <backend Backend>
concept native_here = Backend != backend::ext_oneapi_level_zero;

}  // namespace detail

template <backend Backend>
struct backend_traits {
  template <class Object>
  using input_type = typename detail::native_input<detail::native_object<Backend, Object>>::type;
  template <class Object>
  using return_type = typename detail::native_object<Backend, Object>::type;
  using errc = int;
};
template <backend Backend, class Object>
using backend_input_t = typename backend_traits<Backend>::template input_type<Object>;
template <backend Backend, class Object>
using backend_return_t = typename backend_traits<Backend>::template return_type<Object>;

/// The type of the error codes that a backend adds to the codes of sycl::errc. Sinter's backends add no error codes.
template <backend Backend>
using errc_for = typename backend_traits<Backend>::errc;
template <backend Backend>
const std::error_category& error_category_for() noexcept {
  return sycl_category();
}

template <backend Backend>
  requires(Backend == backend::opencl)
backend_return_t<Backend, platform> get_native(const platform& object) {
  return detail::cl_native(object, "get_native");
}
/// Returns the CUdevice, which is the number of the GPU.
template <backend Backend>
backend_return_t<Backend, device> get_native(const device& object) {
  if constexpr (Backend == backend::opencl) return detail::cl_native(object, "get_native");
  else return detail::native_device(object, Backend, "get_native");
}
/// Returns the device's primary context. With OpenCL, all used devices of a platform share one context.
template <backend Backend>
backend_return_t<Backend, context> get_native(const context& object) {
  if constexpr (Backend == backend::opencl) return detail::cl_native(object, "get_native");
  else return static_cast<backend_return_t<Backend, context>>(detail::native_context(object, Backend, "get_native"));
}
/// Returns the stream of an in-order queue. Work that the program puts into the stream runs after all earlier commands
/// of the queue, except commands that wait for host code. An out-of-order queue has several streams and returns one of
/// them.
template <backend Backend>
backend_return_t<Backend, queue> get_native(const queue& object) {
  if constexpr (Backend == backend::opencl) return detail::cl_native(object, "get_native");
  else return static_cast<backend_return_t<Backend, queue>>(detail::native_stream(object, Backend, "get_native"));
}
/// The native event is complete when the command is complete, or some time later. get_native waits until the command is
/// handed over to the device.
template <backend Backend>
backend_return_t<Backend, event> get_native(const event& object) {
  if constexpr (Backend == backend::opencl) return detail::cl_native(object, "get_native");
  else return static_cast<backend_return_t<Backend, event>>(detail::native_event(object, Backend, "get_native"));
}
/// Returns the OpenCL program for one device, of a bundle or kernel that was built from source. Throws errc::invalid
/// for other bundles and kernels, because the runtime makes their programs only when a kernel is launched.
template <backend Backend>
  requires(Backend == backend::opencl)
backend_return_t<Backend, kernel_bundle<bundle_state::executable>> get_native(
    const kernel_bundle<bundle_state::executable>& object) {
  return detail::cl_native(object, "get_native");
}
template <backend Backend>
  requires(Backend == backend::opencl)
backend_return_t<Backend, kernel> get_native(const kernel& object) {
  return detail::cl_native(object, "get_native");
}
/// Returns the memory of the buffer (for a sub-buffer, of its parent): a cl_mem for each OpenCL device that has memory
/// for the buffer now. The cl_mem objects exist until the buffer is destroyed. Only a command can tell which cl_mem has
/// the current contents: see interop_handle::get_native_mem. Throws errc::feature_not_supported if the driver can't
/// make a cl_mem of the memory (docs/devices.md).
template <backend Backend, class T, int Dimensions, class Allocator>
  requires(Backend == backend::opencl)
backend_return_t<Backend, buffer<T, Dimensions, Allocator>> get_native(const buffer<T, Dimensions, Allocator>& object) {
  return detail::cl_native(*detail::buffer_access::record(object));
}

template <backend Backend>
  requires(Backend == backend::opencl)
platform make_platform(const backend_input_t<Backend, platform>& native) {
  return detail::platform_of_cl(native);
}
template <backend Backend>
  requires detail::native_here<Backend>
device make_device(const backend_input_t<Backend, device>& native) {
  if constexpr (Backend == backend::opencl) return detail::device_of_cl(native);
  else return detail::device_of_native(native, Backend);
}
/// Takes any cl_context, or the primary context of a CUDA device. Throws errc::feature_not_supported for other CUDA
/// contexts. The runtime retains a cl_context until the process ends. If the cl_context does not come from get_native,
/// the runtime copies contents of buffers to its devices through the host.
template <backend Backend>
  requires detail::native_here<Backend>
context make_context(const backend_input_t<Backend, context>& native, const async_handler handler = {}) {
  if constexpr (Backend == backend::opencl) return detail::context_of_cl(native, handler);
  else return detail::context_of_native(native, Backend, handler);
}
/// Makes a queue that puts its commands into the stream, in order.
template <backend Backend>
  requires detail::native_here<Backend>
queue make_queue(const backend_input_t<Backend, queue>& native, const context& context,
                 const async_handler handler = {}) {
  if constexpr (Backend == backend::opencl) return detail::queue_of_cl(native, context, nullptr, handler, {});
  else return detail::queue_of_native(native, Backend, context, nullptr, handler, {});
}
template <backend Backend>
  requires detail::native_here<Backend>
queue make_queue(const backend_input_t<Backend, queue>& native, const context& context, const device& device,
                 const property_list& properties = {}, const async_handler handler = {}) {
  if constexpr (Backend == backend::opencl) return detail::queue_of_cl(native, context, &device, handler, properties);
  else return detail::queue_of_native(native, Backend, context, &device, handler, properties);
}
/// Makes an event that is complete when all native events are complete.
template <backend Backend>
  requires detail::native_here<Backend>
event make_event(const backend_input_t<Backend, event>& native, const context& context) {
  if constexpr (Backend == backend::opencl) return detail::event_of_cl(native, context);
  else return detail::event_of_native(native, Backend, context);
}
/// Makes a buffer with the contents that the cl_mem has when `available` is complete. The runtime allocates separate
/// memory for the buffer. When the last handle of the buffer is destroyed, the cl_mem receives the contents that
/// commands have written. Until then, the runtime retains the cl_mem, and other code should not write to it.
template <backend Backend, class T, int Dimensions = 1, class Allocator = buffer_allocator<std::remove_const_t<T>>>
  requires(Backend == backend::opencl && Dimensions == 1)
buffer<T, Dimensions, Allocator> make_buffer(const backend_input_t<Backend, buffer<T, Dimensions, Allocator>>& native,
                                             const context& context, event available = {}) {
  const std::size_t bytes = detail::cl_memory_bytes(native, context, sizeof(T), available);
  buffer<T, Dimensions, Allocator> result{range<1>(bytes / sizeof(T))};
  detail::copy_cl_memory(detail::buffer_access::record(result), native, context);
  return result;
}
/// Makes an image with the texels that the cl_mem has when `available` is complete. In all other respects, the function
/// works like make_buffer. Throws errc::invalid if the cl_mem is not an image, if it does not have `Dimensions`
/// dimensions, or if its format is not one of image_format (channels RGBA, or BGRA of CL_UNORM_INT8).
template <backend Backend, int Dimensions = 1, class Allocator = image_allocator>
  requires(Backend == backend::opencl)
unsampled_image<Dimensions, Allocator> make_unsampled_image(
    const backend_input_t<Backend, unsampled_image<Dimensions, Allocator>>& native, const context& context,
    event available = {}) {
  const detail::cl_image<Dimensions> facts(native, context, available, "make_unsampled_image");
  unsampled_image<Dimensions, Allocator> result(facts.format, facts.size);
  detail::copy_cl_memory(detail::buffer_access::record(detail::image_access::texels(result)), native, context);
  return result;
}
template <backend Backend, int Dimensions = 1, class Allocator = image_allocator>
  requires(Backend == backend::opencl)
sampled_image<Dimensions, Allocator> make_sampled_image(
    const backend_input_t<Backend, sampled_image<Dimensions, Allocator>>& native, const context& context,
    image_sampler sampler, event available = {}) {
  const detail::cl_image<Dimensions> facts(native, context, available, "make_sampled_image");
  sampled_image<Dimensions, Allocator> result(static_cast<const void*>(nullptr), facts.format, sampler, facts.size);
  detail::copy_cl_memory(detail::buffer_access::record(detail::image_access::texels(result)), native, context);
  return result;
}
/// Makes a kernel bundle from a built program in the context's cl_context. The bundle finds the program's kernels by
/// their names.
template <backend Backend, bundle_state State>
  requires(Backend == backend::opencl && State == bundle_state::executable)
kernel_bundle<State> make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>>& native,
                                        const context& context) {
  return detail::bundle_access::wrap<State>(detail::bundle_of_cl(native, context));
}
template <backend Backend>
  requires(Backend == backend::opencl)
kernel make_kernel(const backend_input_t<Backend, kernel>& native, const context& context) {
  return detail::kernel_of_cl(native, context);
}

namespace opencl {

/// Whether the driver has the OpenCL extension. Throws errc::backend_mismatch for objects of another backend.
SINTER_EXPORT bool has_extension(const platform& object, const std::string& extension);
SINTER_EXPORT bool has_extension(const device& object, const std::string& extension);

}  // namespace opencl
}  // namespace sycl
