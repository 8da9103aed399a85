#pragma once
/// DPC++'s set_kernel_properties, the predecessor of sycl_ext_oneapi_kernel_properties. The property requests more
/// registers on Intel's GPUs. Sinter ignores it.

#include "../../../detail/export.hpp"

namespace sycl::inline _V1::ext::intel::experimental {

namespace kernel_properties {
struct use_large_grf_tag {};
struct use_auto_grf_tag {};
inline constexpr use_large_grf_tag use_large_grf;
inline constexpr use_auto_grf_tag use_auto_grf;
}  // namespace kernel_properties

template <class... Properties>
SINTER_DEVICE_INLINE void set_kernel_properties(Properties...) noexcept {}

}  // namespace sycl::ext::intel::experimental
