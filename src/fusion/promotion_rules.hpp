#pragma once
/// Combines different promotions that the accessors of one buffer ask for (sycl_ext_codeplay_kernel_fusion and the
/// runtime that first had it: private and local promotion of equal size together are local).

#include <abi/promotion.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sycl::inline _V1::detail {

/// The wish of one accessor of a member.
struct promotion_wish {
  const void* buffer;
  sinter::abi::promotion requested;
  std::uint64_t first, elements;  ///< what it reaches
  std::uint64_t items, groups;    ///< of its kernel; 0 groups: a kernel without work-group size
};

/// Makes the wishes for each buffer equal. Returns warnings.
std::vector<const char*> agree_on_promotions(std::span<promotion_wish> wishes);

}  // namespace sycl::detail
