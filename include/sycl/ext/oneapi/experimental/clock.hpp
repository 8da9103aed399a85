#pragma once
/// sycl_ext_oneapi_clock: clocks that kernels can read. On CPUs, the clock is the time stamp counter, which is the same
/// for all work-items. On NVIDIA GPUs, it is the clock of a multiprocessor, which is the same for all work-items of a
/// work-group.

#include <cstdint>

#include "../../../aspects.hpp"
#include "../../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_CLOCK 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class clock_scope { sub_group, work_group, device };

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

// On 64-bit Arm, programs can't read the cycle counter, so they read the system counter.
#if defined(__clang__) && defined(__aarch64__)
#define SINTER_READ_CLOCK __builtin_readsteadycounter()
#elif defined(__clang__)
#define SINTER_READ_CLOCK __builtin_readcyclecounter()
#endif
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"  // without the plugin, Clang does not know the attribute and
                                                         // warns
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
// A kernel that calls one of these functions requires the aspect of the clock.
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

/// Returns the value of a clock that never runs backwards within the scope. The unit of the value depends on the
/// device. Only kernels can call this function.
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
