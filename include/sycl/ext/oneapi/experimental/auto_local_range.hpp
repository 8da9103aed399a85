#pragma once
/// sycl_ext_oneapi_auto_local_range: an nd_range whose work-groups the runtime chooses.

#include <sinter/abi/geometry.hpp>

#include "../../../range.hpp"

#define SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Used as the second argument of an nd_range. Work-groups get the size that the kernel requires. If it requires none,
/// they get a size that divides the global range and has at most 256 work-items.
template <int Dimensions>
range<Dimensions> auto_range() noexcept {
  range<Dimensions> result = detail::ones<Dimensions>();
  for (int d = 0; d < Dimensions; ++d) result[d] = ::sinter::abi::automatic_local_range;
  return result;
}

}  // namespace sycl::ext::oneapi::experimental
