#pragma once
/// ext::oneapi::experimental::printf, which is C's printf for kernels, and the functions exp2 and tanh of
/// sycl_ext_oneapi_native_math. GPUs and OpenCL devices use the printf of their driver (docs/devices.md).

#include <cstdio>

#include "../../../detail/export.hpp"
#include "../../../detail/vector_traits.hpp"
#include "../../../math.hpp"

#define SYCL_EXT_ONEAPI_NATIVE_MATH 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Returns the number of characters that were printed. On GPUs, returns the value that the driver's printf returns.
/// Work-items print in any order, but the output of a single call stays together.
template <class... Arguments>
SINTER_DEVICE_INLINE int printf(const char* format, Arguments... arguments) {
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#endif
  return ::printf(format, arguments...);
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
}

namespace native {

/// Takes half and vectors of half, and also float, like sycl::native::exp2.
template <class T>
  requires(std::is_same_v<detail::element_t<T>, half> || std::is_same_v<detail::element_t<T>, float>)
SINTER_DEVICE_INLINE detail::vector_t<T> exp2(const T& x) noexcept {
  return sycl::exp2(x);
}
/// Takes half, float, and vectors of half or float.
template <class T>
  requires(std::is_same_v<detail::element_t<T>, half> || std::is_same_v<detail::element_t<T>, float>)
SINTER_DEVICE_INLINE detail::vector_t<T> tanh(const T& x) noexcept {
  return sycl::tanh(x);
}

}  // namespace native

}  // namespace sycl::ext::oneapi::experimental
