#pragma once
/// sycl_ext_oneapi_backend_level_zero: gets Level Zero objects from SYCL objects, and makes SYCL objects from Level
/// Zero objects. The types are declared in <ze_api.h>, which programs need not include.
///
/// get_native returns objects that belong to the runtime and exist as long as the SYCL object. make_... takes
/// structures that say who destroys the native object: the runtime (`transfer`), or the program (`keep`). With `keep`,
/// the program has to wait until SYCL no longer uses the object.

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
/// If `transfer`, the runtime destroys the native object when it is no longer used.
SINTER_EXPORT queue queue_of_ze(_ze_command_list_handle_t* native, bool transfer, const device& device,
                                const context& context, const property_list& properties, const async_handler& handler);
[[noreturn]] SINTER_EXPORT void refuse_command_queue();
SINTER_EXPORT event event_of_ze(_ze_event_handle_t* native, bool transfer, const context& context);
SINTER_EXPORT shared<kernel_bundle_impl> bundle_of_ze(_ze_module_handle_t* native, bool transfer,
                                                      const context& context);
SINTER_EXPORT kernel kernel_of_ze(_ze_kernel_handle_t* native, bool transfer, const bundle_base& bundle,
                                  const context& context);
/// Waits for the event `available`, and returns the number of bytes from `native` to the end of the allocation.
SINTER_EXPORT std::size_t ze_memory_bytes(void* native, const context& context, std::size_t element_bytes,
                                          event& available);
/// Copies the contents of the memory to the buffer. The buffer's destructor copies the buffer's contents back to the
/// memory.
SINTER_EXPORT void copy_ze_memory(buffer_record* record, void* native, bool transfer, const context& context);

constexpr bool is_transfer(ext::oneapi::level_zero::ownership its) noexcept {
  return its == ext::oneapi::level_zero::ownership::transfer;
}

}  // namespace detail

/// All functions below throw errc::backend_mismatch for objects of other backends.
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
/// Returns the immediate command list of an in-order queue. After the first call, the runtime puts barriers into the
/// list before and after SYCL's commands, so that they run in order with commands that the program appends to the list.
/// An out-of-order queue has several lists, and get_native returns one of them. In Level Zero, only one thread at a
/// time may append to a list.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, queue> get_native(const queue& object) {
  return static_cast<_ze_command_list_handle_t*>(detail::native_stream(object, Backend, "get_native"));
}
/// The native event is signalled when the command ends, or some time later. get_native waits until the command is
/// handed over to the device. The native event exists as long as the queue.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, event> get_native(const event& object) {
  return detail::ze_native(object);
}
/// Returns a module for each pair of a kernel and a device. For a bundle from make_kernel_bundle, and for a bundle that
/// was built from source, there is only one module.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, kernel_bundle<bundle_state::executable>> get_native(
    const kernel_bundle<bundle_state::executable>& object) {
  return detail::ze_native(object);
}
/// Returns a kernel object that SYCL does not use itself. So if the program sets arguments of this kernel object,
/// SYCL's launches do not change.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, kernel> get_native(const kernel& object) {
  return detail::ze_native(object);
}
/// Returns the buffer's memory on the first Level Zero device that has memory for the buffer. This memory need not have
/// the buffer's current contents. In a command, interop_handle::get_native_mem gives memory with the current contents.
/// Throws errc::invalid if no such device has memory for the buffer.
template <backend Backend, class T, int Dimensions, class Allocator>
  requires(Backend == backend::ext_oneapi_level_zero)
backend_return_t<Backend, buffer<T, Dimensions, Allocator>> get_native(const buffer<T, Dimensions, Allocator>& object) {
  return detail::ze_native(*detail::buffer_access::record(object));
}

/// Throws errc::invalid if SYCL does not use the driver's devices.
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
/// Makes a context with the devices in the list. If the native context does not come from get_native, the runtime
/// copies contents of buffers to its devices through the host. In this case, the runtime uses the native context until
/// the process ends and never destroys it, even with `transfer`.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
context make_context(const backend_input_t<Backend, context>& native, const async_handler handler = {}) {
  return detail::context_of_ze(native.NativeHandle, native.DeviceList, handler);
}
/// Takes an immediate command list of a native queue that can run kernels. Throws errc::feature_not_supported for a
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
/// Makes an event that is complete when the native event is signalled. The event pool of the native event must be
/// visible to the host.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_level_zero)
event make_event(const backend_input_t<Backend, event>& native, const context& context) {
  return detail::event_of_ze(native.NativeHandle, detail::is_transfer(native.Ownership), context);
}
/// Makes a bundle of the module's kernels; ext_oneapi_get_kernel finds them by their names.
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
/// Makes a buffer with the contents of USM memory of the context, from the pointer to the end of its allocation. The
/// runtime copies the contents when `available` is complete. The buffer has separate memory. When the last copy of the
/// buffer object is destroyed, the USM memory receives the contents that commands have written. Until then, other code
/// should not write to the USM memory.
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
