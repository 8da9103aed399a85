#pragma once
/// ext::oneapi::experimental::printf: C's printf in kernels. GPUs and OpenCL devices print as their driver does:
/// docs/devices.md.

#include <cstdio>

#include "../../../detail/export.hpp"

namespace sycl::ext::oneapi::experimental {

/// The number of characters; on GPUs what the driver says. Work-items print in any order; what one call prints stays
/// together.
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

}  // namespace sycl::ext::oneapi::experimental
