#pragma once
/// sycl_ext_oneapi_backend_level_zero: gets Level Zero objects from SYCL objects, and makes SYCL objects from Level
/// Zero objects. The types are declared in <ze_api.h>, which need not be included.
///
/// get_native gives objects that belong to the runtime and exist as long as the SYCL object. make_... takes structures
/// that say who destroys the object: the runtime (`transfer`), or the program (`keep`). The program has to wait until
/// SYCL no longer uses the object.

#include <type_traits>
#include <variant>
#include <vector>

#include "../../../backend.hpp"
#include "../../../exception.hpp"

struct _ze_driver_handle_t;
struct _ze_device_handle_t;
struct _ze_context_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_command_list_handle_t;
struct _ze_event_handle_t;
struct _ze_module_handle_t;
struct _ze_kernel_handle_t;

namespace sycl::inline _V1 {

namespace ext::oneapi::level_zero {

enum class ownership { transfer, keep };

}  // namespace ext::oneapi::level_zero

namespace detail {

template <>
struct native_object<backend::ext_oneapi_level_zero, platform> : std::type_identity<_ze_driver_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, device> : std::type_identity<_ze_device_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, context> {
  using type = _ze_context_handle_t*;
  struct input {
    _ze_context_handle_t* NativeHandle;
    std::vector<device> DeviceList;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
  };
};
template <>
struct native_object<backend::ext_oneapi_level_zero, queue> {
  using type = std::variant<_ze_command_queue_handle_t*, _ze_command_list_handle_t*>;
  struct input {
    type NativeHandle;
    device Device;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
    property_list Properties{};
  };
};
template <>
struct native_object<backend::ext_oneapi_level_zero, event> {
  using type = _ze_event_handle_t*;
  struct input {
    _ze_event_handle_t* NativeHandle;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
  };
};
template <>
struct native_object<backend::ext_oneapi_level_zero, kernel> {
  using type = _ze_kernel_handle_t*;
  struct input {
    kernel_bundle<bundle_state::executable> KernelBundle;
    _ze_kernel_handle_t* NativeHandle;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
  };
};
template <bundle_state State>
struct native_object<backend::ext_oneapi_level_zero, kernel_bundle<State>> {
  using type = std::vector<_ze_module_handle_t*>;
  struct input {
    _ze_module_handle_t* NativeHandle;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
  };
};
template <class T, int Dimensions, class Allocator>
struct native_object<backend::ext_oneapi_level_zero, buffer<T, Dimensions, Allocator>> {
  using type = void*;
  struct input {
    void* NativeHandle;
    ext::oneapi::level_zero::ownership Ownership{ext::oneapi::level_zero::ownership::transfer};
  };
};
template <>
struct native_object<backend::ext_oneapi_level_zero, executable_command_graph>
    : std::type_identity<_ze_command_list_handle_t*> {};

SINTER_EXPORT _ze_driver_handle_t* ze_native(const platform& object);
SINTER_EXPORT _ze_device_handle_t* ze_native(const device& object);
SINTER_EXPORT _ze_context_handle_t* ze_native(const context& object);
SINTER_EXPORT _ze_event_handle_t* ze_native(const event& object);
SINTER_EXPORT std::vector<_ze_module_handle_t*> ze_native(const bundle_base& object);
SINTER_EXPORT _ze_kernel_handle_t* ze_native(const kernel& object);
SINTER_EXPORT void* ze_native(const buffer_record& record);
SINTER_EXPORT platform platform_of_ze(_ze_driver_handle_t* native);
SINTER_EXPORT device device_of_ze(_ze_device_handle_t* native);
SINTER_EXPORT context context_of_ze(_ze_context_handle_t* native, const std::vector<device>& devices,
                                    const async_handler& handler);
/// If `transfer`, the runtime destroys the native object.
SINTER_EXPORT queue queue_of_ze(_ze_command_list_handle_t* native, bool transfer, const device& device,
                                const context& context, const property_list& properties, const async_handler& handler);
[[noreturn]] SINTER_EXPORT void refuse_command_queue();
SINTER_EXPORT event event_of_ze(_ze_event_handle_t* native, bool transfer, const context& context);
SINTER_EXPORT shared<kernel_bundle_impl> bundle_of_ze(_ze_module_handle_t* native, bool transfer,
                                                      const context& context);
SINTER_EXPORT kernel kernel_of_ze(_ze_kernel_handle_t* native, bool transfer, const bundle_base& bundle,
                                  const context& context);
/// Returns the number of bytes from `native` to the end of its allocation. Waits for `available`.
SINTER_EXPORT std::size_t ze_memory_bytes(void* native, const context& context, std::size_t element_bytes,
                                          event& available);
/// Copies the contents of the memory to the buffer. The buffer's destructor copies its contents back.
SINTER_EXPORT void copy_ze_memory(buffer_record* record, void* native, bool transfer, const context& context);

constexpr bool is_transfer(ext::oneapi::level_zero::ownership its) noexcept {
  return its == ext::oneapi::level_zero::ownership::transfer;
}

}  // namespace detail

/// The functions from here on throw errc::backend_mismatch if an object is of another backend.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, platform> get_native(const platform& object) {
  return detail::ze_native(object);
}
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, device> get_native(const device& object) {
  return detail::ze_native(object);
}
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, context> get_native(const context& object) {
  return detail::ze_native(object);
}
/// An immediate command list. From now on SYCL's commands stand between barriers in the list, so that commands which
/// the program appends keep their place among the commands of an in-order queue. Other queues have several lists and
/// return one of them. Only one thread at a time may append to a list of Level Zero.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, queue> get_native(const queue& object) {
  return static_cast<_ze_command_list_handle_t*>(detail::native_stream(object, Backend, "get_native"));
}
/// The native event is signalled when the command ends, or some time later. get_native waits until the device has the
/// command. The native event exists as long as the queue.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, event> get_native(const event& object) {
  return detail::ze_native(object);
}
/// A module for each kernel and device. A bundle from make_kernel_bundle, or built from source, has only one module.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, kernel_bundle<bundle_state::executable>> get_native(
    const kernel_bundle<bundle_state::executable>& object) {
  return detail::ze_native(object);
}
/// A separate kernel object: arguments that the program sets on it do not affect SYCL's launches.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, kernel> get_native(const kernel& object) {
  return detail::ze_native(object);
}
/// The buffer's memory on the first device of Level Zero that has memory for the buffer. Only commands know which
/// memory is current: see interop_handle::get_native_mem. Throws errc::invalid if no such device has memory for the
/// buffer.
template <backend Backend, class T, int Dimensions, class Allocator>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, buffer<T, Dimensions, Allocator>> get_native(const buffer<T, Dimensions, Allocator>& object) {
  return detail::ze_native(*detail::buffer_access::record(object));
}

/// Throws errc::invalid if SYCL does not use the devices of the driver.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
platform make_platform(const backend_input_t<Backend, platform>& native) {
  return detail::platform_of_ze(native);
}
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
device make_device(const backend_input_t<Backend, device>& native) {
  return detail::device_of_ze(native);
}
/// A context with the devices of the list. If get_native did not give the native context, buffers reach its devices
/// through the host, and the native context is kept until the process ends, whoever owns it.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
context make_context(const backend_input_t<Backend, context>& native, const async_handler handler = {}) {
  return detail::context_of_ze(native.NativeHandle, native.DeviceList, handler);
}
/// Takes immediate command lists of queues for kernels. Throws errc::feature_not_supported for a
/// ze_command_queue_handle_t.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
queue make_queue(const backend_input_t<Backend, queue>& native, const context& context,
                 const async_handler handler = {}) {
  const auto* const list = std::get_if<_ze_command_list_handle_t*>(&native.NativeHandle);
  if (!list) detail::refuse_command_queue();
  return detail::queue_of_ze(*list, detail::is_transfer(native.Ownership), native.Device, context, native.Properties,
                             handler);
}
/// The SYCL event is complete when the native event is signalled. The native event's pool must be visible to the host.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
event make_event(const backend_input_t<Backend, event>& native, const context& context) {
  return detail::event_of_ze(native.NativeHandle, detail::is_transfer(native.Ownership), context);
}
/// A bundle of the module's kernels, which ext_oneapi_get_kernel finds by their names.
template <backend Backend, bundle_state State>
  requires(Backend == backend::ext_oneapi_level_zero && State == bundle_state::executable)
kernel_bundle<State> make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>>& native,
                                        const context& context) {
  return detail::bundle_access::wrap<State>(
      detail::bundle_of_ze(native.NativeHandle, detail::is_transfer(native.Ownership), context));
}
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
kernel make_kernel(const backend_input_t<Backend, kernel>& native, const context& context) {
  return detail::kernel_of_ze(native.NativeHandle, detail::is_transfer(native.Ownership), native.KernelBundle, context);
}
/// A buffer with the contents of USM memory of the context, from the pointer to the end of its allocation. The contents
/// are copied when `available` is complete. The runtime has memory of its own for the buffer; when the last copy of the
/// buffer is destroyed, the USM memory receives the contents that commands have written. Until then, other code should
/// not write to the USM memory.
template <backend Backend, class T, int Dimensions = 1, class Allocator = buffer_allocator<std::remove_const_t<T>>>
  requires(Backend == backend::ext_oneapi_level_zero && Dimensions == 1)
buffer<T, Dimensions, Allocator> make_buffer(const backend_input_t<Backend, buffer<T, Dimensions, Allocator>>& native,
                                             const context& context, event available = {}) {
  const std::size_t bytes = detail::ze_memory_bytes(native.NativeHandle, context, sizeof(T), available);
  buffer<T, Dimensions, Allocator> result{range<1>(bytes / sizeof(T))};
  detail::copy_ze_memory(detail::buffer_access::record(result), native.NativeHandle,
                         detail::is_transfer(native.Ownership), context);
  return result;
}

}  // namespace sycl
