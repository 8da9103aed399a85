#pragma once
/// HIP's native objects. backend.hpp's functions get_native, make_device, make_queue and make_event work for
/// backend::ext_oneapi_hip. The types hipDevice_t, hipStream_t and hipEvent_t come from <hip/hip_runtime_api.h>, which
/// programs need not include. Native memory is a pointer (interop_handle::get_native_mem). HIP's own contexts are
/// deprecated, so get_native of a context and make_context do not support HIP.

#include <type_traits>

#include "../../../backend.hpp"

struct ihipStream_t;
struct ihipEvent_t;

namespace sycl::inline _V1::detail {

template <>
struct native_object<backend::ext_oneapi_hip, device> : std::type_identity<int> {};
template <>
struct native_object<backend::ext_oneapi_hip, queue> : std::type_identity<ihipStream_t*> {};
template <>
struct native_object<backend::ext_oneapi_hip, event> : std::type_identity<ihipEvent_t*> {};
template <class T, int Dimensions, class Allocator>
struct native_object<backend::ext_oneapi_hip, buffer<T, Dimensions, Allocator>> : std::type_identity<void*> {};

}  // namespace sycl::detail
