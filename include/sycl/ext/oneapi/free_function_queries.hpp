#pragma once
/// sycl_ext_oneapi_free_function_queries: functions that return the position of the calling work-item, for code that
/// does not receive it as an argument. khr/work_item_queries.hpp has the same functions. These functions may be called
/// in nd_range kernels of `Dimensions` dimensions.

#include "../../khr/work_item_queries.hpp"

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl::inline _V1::ext::oneapi {

namespace this_work_item {

template <int Dimensions>
SINTER_DEVICE_INLINE nd_item<Dimensions> get_nd_item() noexcept {
  return khr::this_nd_item<Dimensions>();
}
template <int Dimensions>
SINTER_DEVICE_INLINE group<Dimensions> get_work_group() noexcept {
  return khr::this_group<Dimensions>();
}
SINTER_DEVICE_INLINE sycl::sub_group get_sub_group() noexcept { return khr::this_sub_group(); }

}  // namespace this_work_item

// Deprecated names of these functions.
namespace experimental {

template <int Dimensions>
SINTER_DEVICE_INLINE nd_item<Dimensions> this_nd_item() noexcept {
  return khr::this_nd_item<Dimensions>();
}
template <int Dimensions>
SINTER_DEVICE_INLINE group<Dimensions> this_group() noexcept {
  return khr::this_group<Dimensions>();
}
SINTER_DEVICE_INLINE sycl::sub_group this_sub_group() noexcept { return khr::this_sub_group(); }

}  // namespace experimental
}  // namespace sycl::ext::oneapi
