#pragma once
/// sycl_ext_intel_grf_size: a kernel property that sets the number of registers per work-item on Intel's GPUs. Sinter
/// accepts the property and ignores it.

#include <type_traits>

#include "../../oneapi/kernel_properties/properties.hpp"

#define SYCL_EXT_INTEL_GRF_SIZE 1

namespace sycl::inline _V1::ext::intel::experimental {

struct grf_size_key {
  template <unsigned Size>
  using value_t = oneapi::experimental::property_value<grf_size_key, std::integral_constant<unsigned, Size>>;
};
/// Lets the compiler choose the number of registers.
struct grf_size_automatic_key {
  using value_t = oneapi::experimental::property_value<grf_size_automatic_key>;
};

template <unsigned Size>
inline constexpr grf_size_key::value_t<Size> grf_size;
inline constexpr grf_size_automatic_key::value_t grf_size_automatic;

}  // namespace sycl::ext::intel::experimental

namespace sycl::inline _V1::ext::oneapi::experimental {

template <unsigned Size>
struct property_value<intel::experimental::grf_size_key, std::integral_constant<unsigned, Size>> {
  static_assert(Size == 128 || Size == 256, "grf_size is 128 or 256");
  using key_t = intel::experimental::grf_size_key;
  static constexpr unsigned value = Size;
};
template <>
struct is_property_key<intel::experimental::grf_size_key> : std::true_type {};
template <>
struct is_property_key<intel::experimental::grf_size_automatic_key> : std::true_type {};
template <unsigned Size>
struct has_compile_time_kernel_effect<intel::experimental::grf_size_key::value_t<Size>> : std::true_type {};
template <>
struct has_compile_time_kernel_effect<intel::experimental::grf_size_automatic_key::value_t> : std::true_type {};

}  // namespace sycl::ext::oneapi::experimental
