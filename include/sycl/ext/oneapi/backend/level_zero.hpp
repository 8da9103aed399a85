#pragma once
/// Names of sycl_ext_oneapi_backend_level_zero, for programs that ask whether a device is one of Level Zero. No device
/// here is one: get_native throws errc::backend_mismatch. The types are declared in <ze_api.h>, which need not be
/// included.

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

[[noreturn]] inline void refuse_level_zero(const char* call) {
  throw_error(errc::backend_mismatch, std::string(call) + ": there is no Level Zero backend, and no object is of it; "
                                                          "get_backend() tells which one an object is of");
}

}  // namespace detail

#define SINTER_LEVEL_ZERO_OBJECT(type)                                                                        \
  template <backend Backend>                                                                                 \
    requires(Backend == backend::ext_oneapi_level_zero)                                                      \
  backend_return_t<Backend, type> get_native(const type&) {                                                  \
    detail::refuse_level_zero("get_native");                                                                 \
  }
SINTER_LEVEL_ZERO_OBJECT(platform)
SINTER_LEVEL_ZERO_OBJECT(device)
SINTER_LEVEL_ZERO_OBJECT(context)
SINTER_LEVEL_ZERO_OBJECT(queue)
SINTER_LEVEL_ZERO_OBJECT(event)
SINTER_LEVEL_ZERO_OBJECT(kernel)
#undef SINTER_LEVEL_ZERO_OBJECT

}  // namespace sycl
