#pragma once
/// sycl::sub_group (SYCL 2020 4.9.1.8). On the CPU device, the work-items of a sub-group are the lanes of a vector. The
/// linear local ids of a sub-group's work-items are consecutive and begin at a multiple of the sub-group size. The last
/// sub-group of a work-group may have fewer work-items.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "bit_cast.hpp"
#include "detail/export.hpp"
#include "id.hpp"
#include "is_device_copyable.hpp"
#include "memory_enums.hpp"
#include "multi_ptr.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

template <class T, int Count>
class vec;

namespace detail {
struct sub_group_access;
}

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  /// Makes the sub-group of the calling work-item. DPC++ also has this default constructor. Only kernels can call it.
  SINTER_DEVICE_INLINE sub_group() noexcept : sub_group(current()) {}

  /// Returns the number of the sub-group within its work-group.
  id<1> get_group_id() const noexcept { return m_group; }
  id<1> get_local_id() const noexcept { return get_local_linear_id(); }
  range<1> get_local_range() const noexcept { return get_local_linear_range(); }
  range<1> get_group_range() const noexcept { return m_groups; }
  range<1> get_max_local_range() const noexcept { return __sinter_sub_group_size(); }
  std::uint32_t get_group_linear_id() const noexcept { return static_cast<std::uint32_t>(m_group); }
  std::uint32_t get_local_linear_id() const noexcept { return __sinter_sub_group_local_id(); }
  std::uint32_t get_group_linear_range() const noexcept { return static_cast<std::uint32_t>(m_groups); }
  std::uint32_t get_local_linear_range() const noexcept { return __sinter_sub_group_local_range(); }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  // Functions of DPC++ that are older than SYCL 2020. The work-items together load or store `Count` rows of consecutive
  // elements. Row i contains element i of each work-item. All work-items have to call these functions with the same
  // pointer. The functions ignore `volatile`, because classes such as vec can't be copied from volatile memory.
  template <class T>
  SINTER_DEVICE_INLINE std::remove_cv_t<T> load(T* first) const noexcept {
    return plain(first)[get_local_linear_id()];
  }
  template <class T, access::address_space Space, access::decorated Decorated>
  SINTER_DEVICE_INLINE std::remove_cv_t<T> load(multi_ptr<T, Space, Decorated> first) const noexcept {
    return load(first.get_raw());
  }
  template <int Count, class T>
  SINTER_DEVICE_INLINE auto load(T* first) const noexcept {
    vec<std::remove_cv_t<T>, Count> result;
    for (int i = 0; i < Count; ++i) {
      result[i] = plain(first)[static_cast<std::uint32_t>(i) * __sinter_sub_group_size() + get_local_linear_id()];
    }
    return result;
  }
  template <int Count, class T, access::address_space Space, access::decorated Decorated>
  SINTER_DEVICE_INLINE auto load(multi_ptr<T, Space, Decorated> first) const noexcept {
    return load<Count>(first.get_raw());
  }
  template <class T>
  SINTER_DEVICE_INLINE void store(T* first, const std::remove_volatile_t<T>& value) const noexcept {
    const_cast<std::remove_volatile_t<T>*>(first)[get_local_linear_id()] = value;
  }
  template <class T, access::address_space Space, access::decorated Decorated>
  SINTER_DEVICE_INLINE void store(multi_ptr<T, Space, Decorated> first,
                                  const std::remove_volatile_t<T>& value) const noexcept {
    store(first.get_raw(), value);
  }
  template <int Count, class T>
  SINTER_DEVICE_INLINE void store(T* first, const vec<std::remove_volatile_t<T>, Count>& values) const noexcept {
    auto* const rows = const_cast<std::remove_volatile_t<T>*>(first);
    for (int i = 0; i < Count; ++i) {
      rows[static_cast<std::uint32_t>(i) * __sinter_sub_group_size() + get_local_linear_id()] = values[i];
    }
  }
  template <int Count, class T, access::address_space Space, access::decorated Decorated>
  SINTER_DEVICE_INLINE void store(multi_ptr<T, Space, Decorated> first,
                                  const vec<std::remove_volatile_t<T>, Count>& values) const noexcept {
    store(first.get_raw(), values);
  }

  // Member functions of sycl_ext_oneapi_sub_group. SYCL 2020 has free functions instead: group_barrier,
  // select_from_group, shift_group_left, shift_group_right and permute_group_by_xor.
  SINTER_DEVICE_INLINE void barrier(access::fence_space = access::fence_space::global_and_local) const noexcept;
  template <class T>
  SINTER_DEVICE_INLINE T shuffle(const T& value, id<1> source) const noexcept;
  template <class T>
  SINTER_DEVICE_INLINE T shuffle_down(const T& value, std::uint32_t delta) const noexcept;
  template <class T>
  SINTER_DEVICE_INLINE T shuffle_up(const T& value, std::uint32_t delta) const noexcept;
  template <class T>
  SINTER_DEVICE_INLINE T shuffle_xor(const T& value, id<1> mask) const noexcept;

  friend bool operator==(const sub_group& a, const sub_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const sub_group& a, const sub_group& b) noexcept { return !(a == b); }

private:
  friend struct detail::sub_group_access;
  SINTER_DEVICE_INLINE sub_group(std::size_t group, std::size_t groups) noexcept : m_group(group), m_groups(groups) {}

  template <class T>
  static SINTER_DEVICE_INLINE const std::remove_cv_t<T>* plain(T* first) noexcept {
    return const_cast<const std::remove_cv_t<T>*>(first);
  }

  /// Returns the sub-group of the calling work-item.
  static SINTER_DEVICE_INLINE sub_group current() noexcept {
    const std::size_t size = __sinter_sub_group_size(), rows = __sinter_local_range(0) * __sinter_local_range(1);
    const std::size_t row = __sinter_local_id(0) * __sinter_local_range(1) + __sinter_local_id(1);
    return {(row * __sinter_local_range(2) + __sinter_local_id(2)) / size,
            (rows * __sinter_local_range(2) + size - 1) / size};
  }

  std::size_t m_group;
  std::size_t m_groups;
};

/// Waits for all work-items of the sub-group (SYCL 2020 4.17.3).
SINTER_DEVICE_INLINE void group_barrier(sub_group, memory_scope scope = sub_group::fence_scope) noexcept {
  __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::sub_group), static_cast<std::uint32_t>(scope));
}

namespace detail {

// All work-items of the sub-group have to call each of the following functions together.

/// Values are exchanged as integers. Returns the size of these integers in bytes. This is the size of an element of the
/// values, so that vectors are exchanged as vectors.
template <class T>
constexpr std::size_t shuffle_bytes() {
  std::size_t bytes = sizeof(T);
  if constexpr (requires { sizeof(typename T::element_type); }) {
    bytes = sizeof(typename T::element_type);
  } else if constexpr (requires { sizeof(typename T::value_type); }) {
    bytes = sizeof(typename T::value_type);
  }
  while (bytes > 8 || sizeof(T) % bytes != 0 || (bytes & (bytes - 1)) != 0) --bytes;
  return bytes;
}

SINTER_DEVICE_INLINE std::uint8_t shuffle_bits(std::uint8_t value, std::uint32_t source) noexcept {
  return __sinter_sub_group_shuffle_8(value, source);
}
SINTER_DEVICE_INLINE std::uint16_t shuffle_bits(std::uint16_t value, std::uint32_t source) noexcept {
  return __sinter_sub_group_shuffle_16(value, source);
}
SINTER_DEVICE_INLINE std::uint32_t shuffle_bits(std::uint32_t value, std::uint32_t source) noexcept {
  return __sinter_sub_group_shuffle_32(value, source);
}
SINTER_DEVICE_INLINE std::uint64_t shuffle_bits(std::uint64_t value, std::uint32_t source) noexcept {
  return __sinter_sub_group_shuffle_64(value, source);
}

/// Returns the value of the work-item `source`. If there is no such work-item, the result is unspecified.
template <class T>
SINTER_DEVICE_INLINE T sub_group_select(const sub_group&, const T& value, std::uint32_t source) noexcept {
  static_assert(is_device_copyable_v<T>, "group functions exchange device-copyable values");
  constexpr std::size_t bytes = shuffle_bytes<T>();
  using word = std::conditional_t<bytes == 8, std::uint64_t,
                                  std::conditional_t<bytes == 4, std::uint32_t,
                                                     std::conditional_t<bytes == 2, std::uint16_t, std::uint8_t>>>;
  if constexpr (bytes == sizeof(T) && std::is_trivially_copyable_v<T>) {
    return bit_cast<T>(shuffle_bits(bit_cast<word>(value), source));
  } else {
    struct words {
      word each[sizeof(T) / bytes];
    } bits;
    __builtin_memcpy(&bits, &value, sizeof(T));
    for (word& one : bits.each) one = shuffle_bits(one, source);
    return value_of_bytes<T>(bits);
  }
}

/// Calls function(1), function(2), function(4) and so on, while the argument is less than the size of the sub-group.
template <class Function>
SINTER_DEVICE_INLINE void sub_group_steps(const Function& function) {
  // This code has no loop: in a loop, the sources of shuffles would become constants only after a compiler has unrolled
  // the loop.
  const std::uint32_t size = __sinter_sub_group_size();
  if (size > 1) function(1u);
  if (size > 2) function(2u);
  if (size > 4) function(4u);
  if (size > 8) function(8u);
  if (size > 16) function(16u);
  if (size > 32) function(32u);
}

/// Combines the values of the first `parts` work-items. The first step combines the values of neighbouring work-items,
/// the second step combines the results of neighbouring pairs, and so on.
template <class T, class Operation>
SINTER_DEVICE_INLINE T sub_group_fold(const sub_group& group, const T& value, const Operation& operation,
                                      std::uint32_t parts) {
  const std::uint32_t mine = group.get_local_linear_id();
  T result = value;
  sub_group_steps([&](std::uint32_t step) {
    const T other = sub_group_select(group, result, mine + step);
    if (mine + step < parts) result = static_cast<T>(operation(result, other));
  });
  return sub_group_select(group, result, 0);
}
/// Combines the values of this work-item and of all earlier work-items.
template <class T, class Operation>
SINTER_DEVICE_INLINE T sub_group_scan(const sub_group& group, const T& value, const Operation& operation) {
  const std::uint32_t mine = group.get_local_linear_id();
  T result = value;
  sub_group_steps([&](std::uint32_t step) {
    const T other = sub_group_select(group, result, mine - step);
    if (mine >= step) result = static_cast<T>(operation(other, result));
  });
  return result;
}

struct sub_group_access {
  static SINTER_DEVICE_INLINE sub_group current() noexcept { return sub_group::current(); }
};

}  // namespace detail

SINTER_DEVICE_INLINE void sub_group::barrier(access::fence_space) const noexcept { group_barrier(*this); }
template <class T>
SINTER_DEVICE_INLINE T sub_group::shuffle(const T& value, id<1> source) const noexcept {
  return detail::sub_group_select(*this, value, static_cast<std::uint32_t>(source));
}
template <class T>
SINTER_DEVICE_INLINE T sub_group::shuffle_down(const T& value, std::uint32_t delta) const noexcept {
  return detail::sub_group_select(*this, value, get_local_linear_id() + delta);
}
template <class T>
SINTER_DEVICE_INLINE T sub_group::shuffle_up(const T& value, std::uint32_t delta) const noexcept {
  return detail::sub_group_select(*this, value, get_local_linear_id() - delta);
}
template <class T>
SINTER_DEVICE_INLINE T sub_group::shuffle_xor(const T& value, id<1> mask) const noexcept {
  return detail::sub_group_select(*this, value, get_local_linear_id() ^ static_cast<std::uint32_t>(mask));
}

// The name that the class had before SYCL 2020.
namespace ext::oneapi {
using sycl::sub_group;
}
}  // namespace sycl
