#pragma once
/// Device aspects (SYCL 2020 4.6.4.5).

#include <cstdint>
#include <type_traits>

namespace sycl {

/// Values up to 60 are those of DPC++; larger ones differ from one version of it to the next.
enum class aspect : std::uint32_t {
  cpu = 1,
  gpu = 2,
  accelerator = 3,
  custom = 4,
  fp16 = 5,  ///< kernels may use sycl::half
  fp64 = 6,  ///< kernels may use double
  image = 9,
  online_compiler = 10,
  online_linker = 11,
  queue_profiling = 12,
  usm_device_allocations = 13,
  usm_host_allocations = 14,
  usm_shared_allocations = 15,
  usm_system_allocations = 17,
  usm_atomic_host_allocations = 26,
  usm_atomic_shared_allocations = 27,
  atomic64 = 28,  ///< kernels may use atomic operations on 64 bits
  host_debuggable = 32,
  emulated = 40,
  ext_oneapi_graph = 61,          ///< all of sycl_ext_oneapi_graph
  ext_oneapi_limited_graph = 62,  ///< all but updates of executable graphs
};

/// Whether some, or every, device a program meets may have the aspect: programs are compiled before devices are known.
template <aspect Aspect>
struct any_device_has : std::true_type {};
template <aspect Aspect>
inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect>
struct all_devices_have : std::false_type {};
template <aspect Aspect>
inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl
