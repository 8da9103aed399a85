#pragma once
/// Macros and functions for code that is only for the host, or only for devices. The compiler makes the code for the
/// host and for devices in one pass, so `__SYCL_DEVICE_ONLY__` is never defined. Instead, programs write branches, and
/// capture removes the host's branch from the code for devices, and the devices' branch from the code for the host:
///
///   SINTER_IF_HOST(++current->copies;)
///   if (sycl::ext::sinter::on_device()) { ... } else { ... }
///
/// In library mode, and when a kernel runs as host code, the kernel takes the host's branch.

#include <sinter/abi/device_abi.hpp>

namespace sycl::inline _V1::ext::sinter {

/// Whether the calling code runs on a device.
inline __attribute__((always_inline)) bool on_device() noexcept { return __sinter_on_device(); }

} // namespace sycl::ext::sinter

#define SINTER_IF_HOST(...)      \
  if (!__sinter_on_device()) {   \
    __VA_ARGS__                  \
  }
#define SINTER_IF_DEVICE(...)    \
  if (__sinter_on_device()) {    \
    __VA_ARGS__                  \
  }

// AdaptiveCpp's macros, under AdaptiveCpp's names and under names with "sinter".
#ifndef __sinter_if_target_host
#define __sinter_if_target_host(...) SINTER_IF_HOST(__VA_ARGS__)
#define __sinter_if_target_device(...) SINTER_IF_DEVICE(__VA_ARGS__)
#endif
#ifndef __acpp_if_target_host
#define __acpp_if_target_host(...) SINTER_IF_HOST(__VA_ARGS__)
#define __acpp_if_target_device(...) SINTER_IF_DEVICE(__VA_ARGS__)
#define __hipsycl_if_target_host(...) SINTER_IF_HOST(__VA_ARGS__)
#define __hipsycl_if_target_device(...) SINTER_IF_DEVICE(__VA_ARGS__)
#endif
