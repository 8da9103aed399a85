#pragma once
/// sycl_ext_oneapi_root_group: the group of all work-items of a launch, which has a barrier. The barrier works only if
/// all work-groups run at the same time. On an NVIDIA GPU, the query max_num_work_groups returns how many work-groups
/// run at the same time. On other devices, a launch whose kernel uses the barrier may have only one work-group (of up
/// to 8192 work-items on the CPU). A launch with more work-groups throws errc::nd_range. The property use_root_sync
/// alone does not limit the number of work-groups, because migrated programs pass it to every launch.

#include <cstddef>
#include <type_traits>

#include "../../../exception.hpp"
#include "../../../group.hpp"
#include "../../../kernel_bundle.hpp"
#include "../../../nd_item.hpp"
#include "../../../queue.hpp"
#include "../../../sub_group.hpp"
#include "../free_function_queries.hpp"
#include "../kernel_properties/properties.hpp"

#define SYCL_EXT_ONEAPI_ROOT_GROUP 1

namespace sycl::inline _V1::detail {

/// Returns how many work-groups of the size `work_group`, each with `local_memory` bytes, can run at the same time on
/// the queue's device.
SINTER_EXPORT std::size_t root_groups_together(const kernel& which, const queue& on, const range<3>& work_group,
                                               std::size_t local_memory);

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// A property of launches whose kernels use the barrier of the root group. The property has no effect, because the
/// runtime itself detects such kernels.
struct use_root_sync_key {
  using value_t = property_value<use_root_sync_key>;
};
template <>
struct property_value<use_root_sync_key> {
  using key_t = use_root_sync_key;
};
inline constexpr use_root_sync_key::value_t use_root_sync;
template <>
struct is_property_key<use_root_sync_key> : std::true_type {};
template <>
struct has_compile_time_kernel_effect<use_root_sync_key::value_t> : std::true_type {};

namespace info::kernel_queue_specific {
/// The largest number of work-groups in a launch whose kernel uses the barrier of the root group; 0 if the device does
/// not support root groups.
struct max_num_work_groups {
  using return_type = std::size_t;
};
/// An older name of max_num_work_groups.
struct max_num_work_group_sync : max_num_work_groups {};
}  // namespace info::kernel_queue_specific

/// All work-items of the launch as a group.
template <int Dimensions>
class root_group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::device;

  id<Dimensions> get_group_id() const noexcept { return {}; }
  id<Dimensions> get_local_id() const noexcept { return m_item.get_global_id() - m_item.get_offset(); }
  range<Dimensions> get_group_range() const noexcept { return detail::ones<Dimensions>(); }
  range<Dimensions> get_local_range() const noexcept { return m_item.get_global_range(); }
  range<Dimensions> get_max_local_range() const noexcept { return m_item.get_global_range(); }
  std::size_t get_group_linear_id() const noexcept { return 0; }
  std::size_t get_local_linear_id() const noexcept { return m_item.get_global_linear_id(); }
  std::size_t get_group_linear_range() const noexcept { return 1; }
  std::size_t get_local_linear_range() const noexcept { return m_item.get_global_range().size(); }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

private:
  template <int D>
  friend class sycl::nd_item;
  template <int D>
  friend group<D> get_child_group(root_group<D>) noexcept;

  explicit root_group(const nd_item<Dimensions>& item) noexcept : m_item(item) {}

  nd_item<Dimensions> m_item;
};

template <int Dimensions>
SINTER_DEVICE_INLINE group<Dimensions> get_child_group(root_group<Dimensions> all) noexcept {
  return all.m_item.get_group();
}
template <int Dimensions>
SINTER_DEVICE_INLINE sub_group get_child_group(group<Dimensions>) noexcept {
  return this_work_item::get_sub_group();
}

namespace this_work_item {
/// Only nd_range kernels of `Dimensions` dimensions may call this function.
template <int Dimensions>
SINTER_DEVICE_INLINE root_group<Dimensions> get_root_group() noexcept {
  return oneapi::this_work_item::get_nd_item<Dimensions>().ext_oneapi_get_root_group();
}
}  // namespace this_work_item

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

template <int Dimensions>
SINTER_DEVICE_INLINE ext::oneapi::experimental::root_group<Dimensions> nd_item<Dimensions>::ext_oneapi_get_root_group()
    const noexcept {
  return ext::oneapi::experimental::root_group<Dimensions>(*this);
}

template <class Descriptor>
typename Descriptor::return_type kernel::ext_oneapi_get_info(const queue& on, const range<3>& work_group,
                                                             std::size_t local_memory) const {
  namespace known = ext::oneapi::experimental::info::kernel_queue_specific;
  static_assert(std::is_base_of_v<known::max_num_work_groups, Descriptor>,
                "of info::kernel_queue_specific there is max_num_work_groups");
  if (work_group.size() == 0) {
    detail::throw_error(errc::invalid, "max_num_work_groups: the work-group has no work-items");
  }
  return detail::root_groups_together(*this, on, work_group, local_memory);
}
template <class Descriptor>
typename Descriptor::return_type kernel::ext_oneapi_get_info(const queue& on, const range<2>& work_group,
                                                             std::size_t local_memory) const {
  return ext_oneapi_get_info<Descriptor>(on, range<3>(1, work_group[0], work_group[1]), local_memory);
}
template <class Descriptor>
typename Descriptor::return_type kernel::ext_oneapi_get_info(const queue& on, const range<1>& work_group,
                                                             std::size_t local_memory) const {
  return ext_oneapi_get_info<Descriptor>(on, range<3>(1, 1, work_group[0]), local_memory);
}
template <class Descriptor>
typename Descriptor::return_type kernel::ext_oneapi_get_info(const queue& on) const {
  return ext_oneapi_get_info<Descriptor>(on, range<1>(1));
}

/// A barrier for all work-items of a launch with use_root_sync.
template <int Dimensions>
SINTER_DEVICE_INLINE void group_barrier(ext::oneapi::experimental::root_group<Dimensions>,
                                        memory_scope scope = memory_scope::device) noexcept {
  __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::device), static_cast<std::uint32_t>(scope));
}

}  // namespace sycl
