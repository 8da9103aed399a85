#pragma once
/// The accessors of one buffer may ask for different promotions. These functions combine the different promotions by
/// the rules of sycl_ext_codeplay_kernel_fusion and of its first implementation. For example, private and local
/// promotion of equal size together become local promotion.

#include <abi/promotion.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sycl::inline _V1::detail {

/// The promotion for which one accessor of a member asks.
struct promotion_wish {
  const void* buffer;
  sinter::abi::promotion requested;
  std::uint64_t first, elements;  ///< first element, and number of elements, that the accessor can access
  /// numbers of work-items and work-groups of the accessor's kernel; `groups` is 0 if the kernel has no work-group size
  std::uint64_t items, groups;
};

/// Changes `wishes`, so that all accessors of a buffer ask for the same promotion. Returns warnings.
std::vector<const char*> agree_on_promotions(std::span<promotion_wish> wishes);

}  // namespace sycl::detail
