#pragma once
/// opportunistic_group of sycl_ext_oneapi_non_uniform_groups: some of the work-items that get to the call. Which, is up
/// to the implementation: here each work-item is a group of its own. The other groups of the extension are not there.

#include <cstdint>

#include "../../../functional.hpp"
#include "../../../group_algorithms.hpp"

namespace sycl::ext::oneapi::experimental {

class opportunistic_group;
namespace this_kernel {
opportunistic_group get_opportunistic_group() noexcept;
}

class opportunistic_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const noexcept { return 0; }
  id<1> get_local_id() const noexcept { return 0; }
  range<1> get_group_range() const noexcept { return 1; }
  range<1> get_local_range() const noexcept { return 1; }
  std::uint32_t get_group_linear_id() const noexcept { return 0; }
  std::uint32_t get_local_linear_id() const noexcept { return 0; }
  std::uint32_t get_group_linear_range() const noexcept { return 1; }
  std::uint32_t get_local_linear_range() const noexcept { return 1; }
  bool leader() const noexcept { return true; }

private:
  friend opportunistic_group this_kernel::get_opportunistic_group() noexcept;
  opportunistic_group() = default;
};

namespace this_kernel {
SINTER_DEVICE_INLINE opportunistic_group get_opportunistic_group() noexcept { return {}; }
}  // namespace this_kernel

}  // namespace sycl::ext::oneapi::experimental

namespace sycl {

SINTER_DEVICE_INLINE void group_barrier(ext::oneapi::experimental::opportunistic_group,
                                        memory_scope = memory_scope::sub_group) noexcept {}
template <class T>
SINTER_DEVICE_INLINE T group_broadcast(ext::oneapi::experimental::opportunistic_group, const T& value,
                                       std::uint32_t = 0) {
  return value;
}
SINTER_DEVICE_INLINE bool any_of_group(ext::oneapi::experimental::opportunistic_group, bool condition) {
  return condition;
}
SINTER_DEVICE_INLINE bool all_of_group(ext::oneapi::experimental::opportunistic_group, bool condition) {
  return condition;
}
SINTER_DEVICE_INLINE bool none_of_group(ext::oneapi::experimental::opportunistic_group, bool condition) {
  return !condition;
}
template <class T, class BinaryOperation>
SINTER_DEVICE_INLINE T reduce_over_group(ext::oneapi::experimental::opportunistic_group, const T& value,
                                         BinaryOperation) {
  return value;
}
template <class T, class BinaryOperation>
SINTER_DEVICE_INLINE T inclusive_scan_over_group(ext::oneapi::experimental::opportunistic_group, const T& value,
                                                 BinaryOperation) {
  return value;
}
template <class T, class BinaryOperation>
SINTER_DEVICE_INLINE T exclusive_scan_over_group(ext::oneapi::experimental::opportunistic_group, const T&,
                                                 BinaryOperation) {
  return known_identity_v<BinaryOperation, T>;
}

}  // namespace sycl
