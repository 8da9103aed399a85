#pragma once
/// sycl_ext_oneapi_clock: counters of time in kernels. CPUs read their time stamp, which all work-items share.
/// NVIDIA GPUs read the clock of a multiprocessor, which the work-items of a work-group share.

#include <cstdint>

#include "../../../aspects.hpp"
#include "../../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_CLOCK 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class clock_scope { sub_group, work_group, device };

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

// On 64-bit Arm, programs may not read the counter of cycles, so the system's clock is read instead.
#if defined(__clang__) && defined(__aarch64__)
#define SINTER_READ_CLOCK __builtin_readsteadycounter()
#elif defined(__clang__)
#define SINTER_READ_CLOCK __builtin_readcyclecounter()
#endif
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"  // Clang without the plugin warns of the attribute
#define SINTER_CLOCK(name, aspect)                                                    \
  [[__sycl_detail__::__uses_aspects__(aspect)]] SINTER_DEVICE_INLINE std::uint64_t name() noexcept { \
    return SINTER_READ_CLOCK;                                                         \
  }
#elif defined(__aarch64__)
#define SINTER_CLOCK(name, aspect)                                                                     \
  inline std::uint64_t name() noexcept {                                                               \
    std::uint64_t ticks;                                                                               \
    /* isb waits until the instructions before the call are done. */                                   \
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");                          \
    return ticks;                                                                                      \
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
#undef SINTER_READ_CLOCK
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Reads a clock that never runs backwards within the scope. Its unit depends on the device. Only kernels can call it.
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
