#pragma once
/// sycl_ext_oneapi_non_uniform_groups: parts of a sub-group as groups, for group functions and algorithms.
///
/// All work-items of the sub-group have to call a group function together, and each part computes its own result. The
/// extension also allows that only the members of one part call a group function. Sinter's devices do not support such
/// calls, and therefore lack the aspects of these groups. tangle_group is made for branches that only some work-items
/// take, so no device of Sinter supports tangle_group: kernels that use tangle_group require
/// aspect::ext_oneapi_tangle_group, and launching them throws errc::kernel_not_supported. opportunistic_group is in a
/// header of its own.

#include <cstddef>
#include <cstdint>

#include "../../../aspects.hpp"
#include "../../../detail/sub_group_parts.hpp"
#include "../../../group_algorithms.hpp"
#include "opportunistic_group.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

/// The group of all work-items whose predicate has the same value as the calling work-item's. The group with number 1
/// has the work-items whose predicate is true.
template <class ParentGroup>
class ballot_group : public detail::sub_group_part {
  static_assert(std::is_same_v<ParentGroup, sub_group>, "a ballot_group is a part of a sub-group");
  friend SINTER_DEVICE_INLINE ballot_group<sub_group> get_ballot_group(sub_group, bool);
  SINTER_DEVICE_INLINE ballot_group(std::uint64_t members, bool predicate) noexcept
      : sub_group_part(members, predicate ? 1u : 0u, 2) {}
};
SINTER_DEVICE_INLINE ballot_group<sub_group> get_ballot_group(sub_group group, bool predicate) {
  const std::uint32_t count = group.get_local_linear_range();
  const std::uint64_t all = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  const std::uint64_t agree = __sinter_sub_group_ballot(predicate);
  return ballot_group<sub_group>((predicate ? agree : ~agree) & all, predicate);
}

/// A group of `Size` consecutive work-items, which starts at a multiple of `Size`. `Size` is a power of two and divides
/// the number of work-items in the sub-group.
template <std::size_t Size, class ParentGroup>
class fixed_size_group : public detail::sub_group_part {
  static_assert(std::is_same_v<ParentGroup, sub_group>, "a fixed_size_group is a part of a sub-group");
  static_assert(Size > 0 && Size <= 64 && (Size & (Size - 1)) == 0, "the size is a power of two, 64 at most");
  template <std::size_t Other>
  friend SINTER_DEVICE_INLINE fixed_size_group<Other, sub_group> get_fixed_size_group(sub_group);
  SINTER_DEVICE_INLINE fixed_size_group(std::uint32_t index, std::uint32_t parts) noexcept
      : sub_group_part(ones << (index * Size), index, parts) {}
  static constexpr std::uint64_t ones = Size < 64 ? (std::uint64_t{1} << (Size % 64)) - 1 : ~std::uint64_t{0};

public:
  std::uint32_t get_local_linear_id() const noexcept { return __sinter_sub_group_local_id() % Size; }
  std::uint32_t get_local_linear_range() const noexcept { return Size; }
  id<1> get_local_id() const noexcept { return get_local_linear_id(); }
  range<1> get_local_range() const noexcept { return Size; }
  bool leader() const noexcept { return get_local_linear_id() == 0; }
};
template <std::size_t Size>
SINTER_DEVICE_INLINE fixed_size_group<Size, sub_group> get_fixed_size_group(sub_group group) {
  return {static_cast<std::uint32_t>(group.get_local_linear_id() / Size),
          static_cast<std::uint32_t>(group.get_local_linear_range() / Size)};
}

/// The group of the work-items that take a branch together.
template <class ParentGroup>
class tangle_group : public detail::sub_group_part {
  static_assert(std::is_same_v<ParentGroup, sub_group>, "a tangle_group is a part of a sub-group");
  friend SINTER_DEVICE_INLINE tangle_group<sub_group> get_tangle_group(sub_group);
  SINTER_DEVICE_INLINE explicit tangle_group(std::uint64_t members) noexcept : sub_group_part(members, 0, 1) {}
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"  // without the plugin, Clang does not know the attribute and
                                                         // warns
[[__sycl_detail__::__uses_aspects__(aspect::ext_oneapi_tangle_group)]]
#endif
SINTER_DEVICE_INLINE tangle_group<sub_group> get_tangle_group(sub_group) {
  return tangle_group<sub_group>(__sinter_sub_group_ballot(true));
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// The names that these groups have in later versions of the extension.
template <class ParentGroup>
using fragment = ballot_group<ParentGroup>;
template <std::size_t Size, class ParentGroup>
using chunk = fixed_size_group<Size, ParentGroup>;
SINTER_DEVICE_INLINE fragment<sub_group> binary_partition(sub_group group, bool predicate) {
  return get_ballot_group(group, predicate);
}
template <std::size_t Size>
SINTER_DEVICE_INLINE chunk<Size, sub_group> chunked_partition(sub_group group) {
  return get_fixed_size_group<Size>(group);
}

template <class ParentGroup>
struct is_user_constructed_group<ballot_group<ParentGroup>> : std::true_type {};
template <class ParentGroup>
struct is_user_constructed_group<tangle_group<ParentGroup>> : std::true_type {};
template <class ParentGroup>
struct is_fixed_topology_group<tangle_group<ParentGroup>> : std::false_type {};
template <std::size_t Size, class ParentGroup>
struct is_user_constructed_group<fixed_size_group<Size, ParentGroup>> : std::true_type {};
template <class ParentGroup>
struct is_fixed_topology_group<ballot_group<ParentGroup>> : std::false_type {};
template <std::size_t Size, class ParentGroup>
struct is_fixed_topology_group<fixed_size_group<Size, ParentGroup>> : std::false_type {};

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

template <class ParentGroup>
struct is_group<ext::oneapi::experimental::ballot_group<ParentGroup>> : std::true_type {};
template <class ParentGroup>
struct is_group<ext::oneapi::experimental::tangle_group<ParentGroup>> : std::true_type {};
template <std::size_t Size, class ParentGroup>
struct is_group<ext::oneapi::experimental::fixed_size_group<Size, ParentGroup>> : std::true_type {};

template <detail::part_of_sub_group Part>
SINTER_DEVICE_INLINE void group_barrier(const Part&, memory_scope scope = Part::fence_scope) noexcept {
  __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::sub_group), static_cast<std::uint32_t>(scope));
}
/// If the source work-item is not a member of the group, the value is unspecified.
template <detail::part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T select_from_group(Part part, const T& value, id<1> source) {
  return detail::select_from_part(part, value, static_cast<std::uint32_t>(source));
}
template <detail::part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T shift_group_left(Part part, const T& value, std::uint32_t delta = 1) {
  return detail::select_from_part(part, value, part.get_local_linear_id() + delta);
}
template <detail::part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T shift_group_right(Part part, const T& value, std::uint32_t delta = 1) {
  const std::uint32_t mine = part.get_local_linear_id();
  return detail::select_from_part(part, value, mine < delta ? 0 : mine - delta);
}
template <detail::part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T permute_group_by_xor(Part part, const T& value, std::uint32_t mask) {
  return detail::select_from_part(part, value, part.get_local_linear_id() ^ mask);
}

}  // namespace sycl
