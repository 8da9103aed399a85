#pragma once
/// sycl_ext_oneapi_work_group_static: variables that the work-items of a work-group share. Programs declare them like
/// other variables: at namespace scope, in blocks, and as static data members.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_WORK_GROUP_STATIC 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Uninitialised memory for a T in each work-group. Only nd_range kernels may use it. A variable in a block is static
/// even without the keyword `static`. All calls of the enclosing function share the variable, so the kernel needs a
/// group_barrier between its uses in two calls. Without the plugin (library mode), the keyword `static` is necessary: a
/// variable that is not static terminates the program at its first use. A launch whose local memory exceeds
/// info::device::local_mem_size in total throws errc::memory_allocation.
template <class T>
class work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "nobody constructs or destroys what a work_group_static has");
  static_assert(sizeof(T) <= 0x7fffffff && alignof(T) <= 4096, "no device has so much local memory");
  /// The alignment is at least that of a vector of four floats, because programs use arrays of bytes as storage for
  /// other objects.
  static constexpr std::uint32_t alignment = alignof(T) < 16 ? 16 : alignof(T);

public:
  work_group_static() = default;
  work_group_static(const work_group_static&) = delete;
  work_group_static& operator=(const work_group_static&) = delete;

  SINTER_DEVICE_INLINE operator T&() const noexcept { return *operator&(); }
  SINTER_DEVICE_INLINE const work_group_static& operator=(const T& value) const noexcept
    requires(!std::is_array_v<T>)
  {
    *operator&() = value;
    return *this;
  }
  SINTER_DEVICE_INLINE T* operator&() const noexcept {
    return static_cast<T*>(__sinter_group_variable(this, sizeof(T), alignment));
  }

private:
  char m_place;  ///< its address identifies the variable; the plugin recognises the class by its name
};

}  // namespace sycl::ext::oneapi::experimental
