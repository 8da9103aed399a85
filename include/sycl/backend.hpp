#pragma once
/// Native objects below SYCL's (SYCL 2020 4.5.1): on NVIDIA GPUs those of the CUDA driver. The CPU has none.
///
/// Types are those of <cuda.h>, which need not be included: CUdevice, CUcontext, CUstream, CUevent, and CUdeviceptr for
/// memory (interop_handle::get_native_mem). Objects stay the owner's: what is got lives as long as the SYCL object, what
/// is given stays valid as long as the program keeps it so.

#include <type_traits>
#include <vector>

#include "backend_enum.hpp"
#include "buffer.hpp"
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "queue.hpp"

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;

namespace sycl {

namespace detail {

template <backend Backend, class Object>
struct native_object {};
template <>
struct native_object<backend::ext_oneapi_cuda, device> {
  using type = int;
};
template <>
struct native_object<backend::ext_oneapi_cuda, context> {
  using type = CUctx_st*;
};
template <>
struct native_object<backend::ext_oneapi_cuda, queue> {
  using type = CUstream_st*;
};
template <>
struct native_object<backend::ext_oneapi_cuda, event> {
  using type = CUevent_st*;
};
template <class T, int Dimensions, class Allocator>
struct native_object<backend::ext_oneapi_cuda, buffer<T, Dimensions, Allocator>> {
  using type = unsigned long long;
};

// errc::backend_mismatch where the object is of another backend; `call` is for messages.
SINTER_EXPORT int native_device(const device& object, backend wanted, const char* call);
/// errc::invalid for a context of several devices: each has one of its own.
SINTER_EXPORT void* native_context(const context& object, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue& object, backend wanted, const char* call);
SINTER_EXPORT void* native_event(const event& object, backend wanted, const char* call);
SINTER_EXPORT device device_of_native(int number);
SINTER_EXPORT context context_of_native(void* native, const async_handler& handler);
SINTER_EXPORT queue queue_of_native(void* native, const context& context, const device* device,
                                    const async_handler& handler, const property_list& properties);
SINTER_EXPORT event event_of_native(void* native, const context& context);

}  // namespace detail

template <backend Backend>
struct backend_traits {
  template <class Object>
  using input_type = typename detail::native_object<Backend, Object>::type;
  template <class Object>
  using return_type = typename detail::native_object<Backend, Object>::type;
  using errc = int;
};
template <backend Backend, class Object>
using backend_input_t = typename backend_traits<Backend>::template input_type<Object>;
template <backend Backend, class Object>
using backend_return_t = typename backend_traits<Backend>::template return_type<Object>;

/// CUdevice, the number of the GPU.
template <backend Backend>
backend_return_t<Backend, device> get_native(const device& object) {
  return detail::native_device(object, Backend, "get_native");
}
/// The device's primary context.
template <backend Backend>
backend_return_t<Backend, context> get_native(const context& object) {
  return static_cast<backend_return_t<Backend, context>>(detail::native_context(object, Backend, "get_native"));
}
/// What an in-order queue has submitted so far comes before what is given to the stream from now on, as far as it waits
/// for no host code. Queues that are not in order have several streams; this is one of them.
template <backend Backend>
backend_return_t<Backend, queue> get_native(const queue& object) {
  return static_cast<backend_return_t<Backend, queue>>(detail::native_stream(object, Backend, "get_native"));
}
/// Complete with the command or some time later. Waits for a command that the device does not have yet.
template <backend Backend>
backend_return_t<Backend, event> get_native(const event& object) {
  return static_cast<backend_return_t<Backend, event>>(detail::native_event(object, Backend, "get_native"));
}

template <backend Backend>
device make_device(const backend_input_t<Backend, device>& native) {
  return detail::device_of_native(native);
}
/// Of primary contexts only; errc::feature_not_supported for others.
template <backend Backend>
context make_context(const backend_input_t<Backend, context>& native, const async_handler handler = {}) {
  return detail::context_of_native(native, handler);
}
/// Commands go to the stream, in its order.
template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue>& native, const context& context, const async_handler handler = {}) {
  return detail::queue_of_native(native, context, nullptr, handler, {});
}
template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue>& native, const context& context, const device& device,
                 const property_list& properties = {}, const async_handler handler = {}) {
  return detail::queue_of_native(native, context, &device, handler, properties);
}
/// Complete when the native event is.
template <backend Backend>
event make_event(const backend_input_t<Backend, event>& native, const context& context) {
  return detail::event_of_native(native, context);
}

}  // namespace sycl
