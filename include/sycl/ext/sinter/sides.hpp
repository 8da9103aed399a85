#pragma once
/// Code for the host only, or for devices only. One pass of the compiler makes the code for host and devices, so
/// `__SYCL_DEVICE_ONLY__` is never defined. Instead, capture removes the branch for the other side from code like
///
///   SINTER_IF_HOST(++current->copies;)
///   if (sycl::ext::sinter::on_device()) { ... } else { ... }
///
/// In library mode, and if a kernel runs as host code, kernels take the host's branch.

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

// These macros have AdaptiveCpp's names and Sinter's names.
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
