#pragma once
/// sycl_ext_oneapi_backend_level_zero: get_native of platforms, devices and contexts. The types are declared in
/// <ze_api.h>, which need not be included.

#include <type_traits>

#include "../../../backend.hpp"
#include "../../../exception.hpp"

struct _ze_driver_handle_t;
struct _ze_device_handle_t;
struct _ze_context_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_event_handle_t;
struct _ze_module_handle_t;
struct _ze_kernel_handle_t;

namespace sycl::inline _V1 {
namespace detail {

template <>
struct native_object<backend::ext_oneapi_level_zero, platform> : std::type_identity<_ze_driver_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, device> : std::type_identity<_ze_device_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, context> : std::type_identity<_ze_context_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, queue> : std::type_identity<_ze_command_queue_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, event> : std::type_identity<_ze_event_handle_t*> {};
template <>
struct native_object<backend::ext_oneapi_level_zero, kernel> : std::type_identity<_ze_kernel_handle_t*> {};
template <bundle_state State>
struct native_object<backend::ext_oneapi_level_zero, kernel_bundle<State>>
    : std::type_identity<std::vector<_ze_module_handle_t*>> {};

SINTER_EXPORT _ze_driver_handle_t* ze_native(const platform& object);
SINTER_EXPORT _ze_device_handle_t* ze_native(const device& object);
SINTER_EXPORT _ze_context_handle_t* ze_native(const context& object);
[[noreturn]] SINTER_EXPORT void refuse_level_zero(backend its, const char* what);

}  // namespace detail

/// They live as long as the process, and stay the runtime's. errc::backend_mismatch where the object is of another
/// backend.
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

/// errc::feature_not_supported: commands are in immediate lists of the runtime's, and events are used again.
#define SINTER_LEVEL_ZERO_OBJECT(type, what)                            \
  template <backend Backend>                                           \
    requires(Backend == backend::ext_oneapi_level_zero)                \
  backend_return_t<Backend, type> get_native(const type& object) {     \
    detail::refuse_level_zero(object.get_backend(), what);             \
  }
SINTER_LEVEL_ZERO_OBJECT(queue, "queues")
SINTER_LEVEL_ZERO_OBJECT(event, "events")
SINTER_LEVEL_ZERO_OBJECT(kernel, "kernels")
#undef SINTER_LEVEL_ZERO_OBJECT

}  // namespace sycl
