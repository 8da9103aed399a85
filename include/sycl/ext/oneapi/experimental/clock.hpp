#pragma once
/// sycl_ext_oneapi_clock: counters of time in kernels. CPUs read their time stamp, which is one for all work-items;
/// NVIDIA GPUs that of a multiprocessor, which the work-items of a work-group share.

#include <cstdint>

#include "../../../aspects.hpp"
#include "../../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_CLOCK 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class clock_scope { sub_group, work_group, device };

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"  // without the plugin
#define SINTER_CLOCK(name, aspect)                                                    \
  [[__sycl_detail__::__uses_aspects__(aspect)]] SINTER_DEVICE_INLINE std::uint64_t name() noexcept { \
    return __builtin_readcyclecounter();                                              \
  }
#else
#define SINTER_CLOCK(name, aspect) \
  inline std::uint64_t name() noexcept { return __builtin_ia32_rdtsc(); }
#endif
// A kernel needs the aspect of the clock that it reads.
SINTER_CLOCK(clock_of_sub_group, sycl::aspect::ext_oneapi_clock_sub_group)
SINTER_CLOCK(clock_of_work_group, sycl::aspect::ext_oneapi_clock_work_group)
SINTER_CLOCK(clock_of_device, sycl::aspect::ext_oneapi_clock_device)
#undef SINTER_CLOCK
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Never runs backwards within the scope; its unit is the device's. It can be called in kernels only.
template <clock_scope Scope>
SINTER_DEVICE_INLINE std::uint64_t clock() noexcept {
  if constexpr (Scope == clock_scope::device) {
    return detail::clock_of_device();
  } else if constexpr (Scope == clock_scope::work_group) {
    return detail::clock_of_work_group();
  } else {
    return detail::clock_of_sub_group();
  }
}

}  // namespace sycl::ext::oneapi::experimental
