#pragma once
/// HIP's own objects behind SYCL's, by backend.hpp's functions for backend::ext_oneapi_hip: get_native and make_device,
/// make_queue, make_event. The types are declared in <hip/hip_runtime_api.h>, which need not be included: hipDevice_t,
/// hipStream_t and hipEvent_t; memory is a pointer (interop_handle::get_native_mem). HIP has no contexts that programs
/// should see, so they can't be queried or made.

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
