#pragma once
/// Device aspects (SYCL 2020 4.6.4.5).

#include <cstdint>
#include <type_traits>

namespace sycl {

enum class aspect : std::uint32_t {
  cpu = 1,
  gpu,
  accelerator,
  custom,
  emulated,
  host_debuggable,
  fp16,
  fp64,
  atomic64,
  image,
  online_compiler,
  online_linker,
  queue_profiling,
  usm_device_allocations,
  usm_host_allocations,
  usm_atomic_host_allocations,
  usm_shared_allocations,
  usm_atomic_shared_allocations,
  usm_system_allocations,
  ext_oneapi_graph,          ///< all of sycl_ext_oneapi_graph
  ext_oneapi_limited_graph,  ///< all but updates of executable graphs
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
