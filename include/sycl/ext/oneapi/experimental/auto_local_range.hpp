#pragma once
/// sycl_ext_oneapi_auto_local_range: lets the runtime choose the work-groups of an nd_range.

#include <sinter/abi/geometry.hpp>

#include "../../../range.hpp"

#define SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Returns a local range for the constructor of nd_range, which lets the runtime choose the work-group size. The
/// runtime takes the size that the kernel requires. If the kernel requires none, the runtime takes a size that divides
/// the global range and has at most 256 work-items.
template <int Dimensions>
range<Dimensions> auto_range() noexcept {
  range<Dimensions> result = detail::ones<Dimensions>();
  for (int d = 0; d < Dimensions; ++d) result[d] = ::sinter::abi::automatic_local_range;
  return result;
}

}  // namespace sycl::ext::oneapi::experimental
