#pragma once
/// sycl_khr_max_work_group_queries: descriptors for device::get_info, which return how many work-groups an nd_range
/// kernel may have.

#include "../range.hpp"

namespace sycl::inline _V1::khr::info::device {

/// The maximum number of work-groups per dimension.
template <int Dimensions = 3>
struct max_work_group_range {
  static_assert(Dimensions >= 1 && Dimensions <= 3);
  using return_type = sycl::range<Dimensions>;
};

/// The maximum number of work-groups in total.
struct max_work_group_range_size {
  using return_type = std::size_t;
};

} // namespace sycl::khr::info::device
