#pragma once
/// Descriptors for device::get_info, from sycl_ext_oneapi_num_compute_units and sycl_ext_oneapi_max_work_group_query.

#include <cstddef>

#include "../../device.hpp"
#include "../../id.hpp"
#include "../../khr/max_work_group_queries.hpp"

#define SYCL_EXT_ONEAPI_NUM_COMPUTE_UNITS 1
#define SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY 1

namespace sycl::inline _V1 {
namespace ext::oneapi {
namespace info::device {

/// The number of threads of the CPU device, or the number of multiprocessors of a GPU.
struct num_compute_units {
  using return_type = std::size_t;
};

}  // namespace info::device
namespace experimental::info::device {

/// The largest number of work-groups that an nd_range kernel may have, per dimension.
template <int Dimensions = 3>
struct max_work_groups {
  static_assert(Dimensions >= 1 && Dimensions <= 3);
  using return_type = sycl::id<Dimensions>;
};
/// The largest number of work-groups that an nd_range kernel may have in total.
struct max_global_work_groups {
  using return_type = std::size_t;
};

}  // namespace experimental::info::device
}  // namespace ext::oneapi

template <>
inline std::size_t device::get_info<ext::oneapi::info::device::num_compute_units>() const {
  return get_info<info::device::max_compute_units>();
}
template <>
inline id<1> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<1>>() const {
  return get_info<khr::info::device::max_work_group_range<1>>();
}
template <>
inline id<2> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<2>>() const {
  return get_info<khr::info::device::max_work_group_range<2>>();
}
template <>
inline id<3> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<3>>() const {
  return get_info<khr::info::device::max_work_group_range<3>>();
}
template <>
inline std::size_t device::get_info<ext::oneapi::experimental::info::device::max_global_work_groups>() const {
  return get_info<khr::info::device::max_work_group_range_size>();
}

}  // namespace sycl
