#pragma once
/// A group together with scratch memory for algorithms (sycl_ext_oneapi_group_sort), and reductions with any operator
/// (sycl_ext_oneapi_user_defined_reductions). The reductions don't use the scratch memory.

#include <cstddef>
#include <type_traits>

#include "../../../group_algorithms.hpp"
#include "../../../reduction.hpp"

#define SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// A group and its scratch memory: local memory, or global memory that no other group uses.
template <class Group, std::size_t Extent>
class group_with_scratchpad {
  static_assert(is_group_v<Group>, "a group_with_scratchpad is made of a work-group or a sub-group");

public:
  group_with_scratchpad(Group group, sycl::span<std::byte, Extent> scratch) noexcept
      : m_group(group), m_scratch(scratch) {}
  /// Programs may also pass scratch memory as a span of another type than std::byte.
  template <class T, std::size_t Elements>
    requires(!std::is_same_v<T, std::byte>)
  group_with_scratchpad(Group group, sycl::span<T, Elements> scratch) noexcept
      : m_group(group), m_scratch(reinterpret_cast<std::byte*>(scratch.data()), scratch.size_bytes()) {}
  Group get_group() const noexcept { return m_group; }
  sycl::span<std::byte, Extent> get_memory() const noexcept { return m_scratch; }

private:
  Group m_group;
  sycl::span<std::byte, Extent> m_scratch;
};
template <class Group, std::size_t Extent>
group_with_scratchpad(Group, sycl::span<std::byte, Extent>) -> group_with_scratchpad<Group, Extent>;
template <class Group, class T, std::size_t Elements>
group_with_scratchpad(Group, sycl::span<T, Elements>) -> group_with_scratchpad<Group, std::size_t(-1)>;

template <class T>
struct is_group_helper : std::false_type {};
template <class Group, std::size_t Extent>
struct is_group_helper<group_with_scratchpad<Group, Extent>> : std::true_type {};
template <class T>
inline constexpr bool is_group_helper_v = is_group_helper<T>::value;

// The operator must be associative. The values are combined in the order of the work-items.
template <class Helper, class T, class Operation>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE T reduce_over_group(Helper helper, const T& value, Operation operation) {
  return sycl::reduce_over_group(helper.get_group(), value, operation);
}
template <class Helper, class Value, class T, class Operation>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE T reduce_over_group(Helper helper, const Value& value, const T& initial, Operation operation) {
  return sycl::reduce_over_group(helper.get_group(), value, initial, operation);
}
/// Reduces the elements of [first, last), which must not be empty.
template <class Helper, class Pointer, class Operation>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE auto joint_reduce(Helper helper, Pointer first, Pointer last, Operation operation) {
  const detail::pointed_t<Pointer> initial = *first;
  return sycl::joint_reduce(helper.get_group(), first + 1, last, initial, operation);
}
template <class Helper, class Pointer, class T, class Operation>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE T joint_reduce(Helper helper, Pointer first, Pointer last, const T& initial,
                                    Operation operation) {
  return sycl::joint_reduce(helper.get_group(), first, last, initial, operation);
}

}  // namespace sycl::ext::oneapi::experimental
