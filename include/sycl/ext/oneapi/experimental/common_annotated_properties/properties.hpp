#pragma once
/// Properties of annotated pointers (sycl_ext_oneapi_annotated_ptr): promises and hints about memory. Sinter ignores
/// these properties.

#include <type_traits>

#include "../../properties/properties.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Promises that the address is a multiple of this number of bytes.
struct alignment_key {
  template <int Bytes>
  using value_t = property_value<alignment_key, std::integral_constant<int, Bytes>>;
};
template <int Bytes>
struct property_value<alignment_key, std::integral_constant<int, Bytes>> {
  static_assert(Bytes > 0 && (Bytes & (Bytes - 1)) == 0, "an alignment is a power of two");
  using key_t = alignment_key;
  static constexpr int value = Bytes;
};
template <int Bytes>
inline constexpr alignment_key::value_t<Bytes> alignment;
template <>
struct is_property_key<alignment_key> : std::true_type {};

}  // namespace sycl::ext::oneapi::experimental
