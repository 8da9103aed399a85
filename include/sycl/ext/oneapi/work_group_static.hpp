#pragma once
/// sycl_ext_oneapi_work_group_static: variables that the work-items of a group share. They are declared where they are
/// used: at namespace scope, in blocks, and as static data members.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_WORK_GROUP_STATIC 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Uninitialised memory for a T in each work-group, only for nd_range kernels. In a block, the variable is static, with
/// or without the word `static`: all calls of the function in a kernel share it, so group_barrier is needed between
/// their uses. Without the plugin (library mode), the word `static` is necessary; a variable without it ends the
/// program at its first use. Launches that need more than info::device::local_mem_size in all throw
/// errc::memory_allocation.
template <class T>
class work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "nobody constructs or destroys what a work_group_static has");
  static_assert(sizeof(T) <= 0x7fffffff && alignof(T) <= 4096, "no device has so much local memory");
  /// The alignment is at least that of vectors of four floats, because programs use arrays of bytes as other objects.
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
  char m_place;  ///< the address of m_place identifies the variable; the plugin knows the class by its name
};

}  // namespace sycl::ext::oneapi::experimental
