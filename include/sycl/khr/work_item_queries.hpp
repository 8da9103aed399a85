#pragma once
/// sycl_khr_work_item_queries: functions that return the position of the calling work-item, for code that does not
/// receive it as an argument.

#include "../nd_item.hpp"

namespace sycl::inline _V1::khr {

/// Only nd_range kernels of `Dimensions` dimensions may call this function.
template <int Dimensions>
SINTER_DEVICE_INLINE nd_item<Dimensions> this_nd_item() noexcept {
  return sycl::detail::item_access::current_nd_item<Dimensions>();
}

/// Only nd_range kernels of `Dimensions` dimensions may call this function.
template <int Dimensions>
SINTER_DEVICE_INLINE group<Dimensions> this_group() noexcept {
  return sycl::detail::item_access::current_group<Dimensions>();
}

/// On the CPU, if the kernel has no work-groups, the sub-group contains only the calling work-item.
SINTER_DEVICE_INLINE sycl::sub_group this_sub_group() noexcept { return sycl::detail::sub_group_access::current(); }

} // namespace sycl::khr
