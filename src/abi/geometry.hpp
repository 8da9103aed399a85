#pragma once
/// The size of a launch. Arrays are in padded SYCL order (device_abi.hpp): a kernel of D dimensions has 1 in the
/// leading 3-D entries, 0 for the offset.

#include <cstdint>

namespace sinter::abi {

/// The width of work-item ids in code. 32 bits: every global range, and offset + range, is below 2^31.
enum class id_width : std::uint32_t { bits_32 = 0, bits_64 = 1 };

/// The value, in each dimension, of a local range that the runtime chooses.
inline constexpr std::uint64_t automatic_local_range = ~std::uint64_t{0};

struct launch_geometry {
  std::uint64_t global_range[3] = {1, 1, 1};
  std::uint64_t local_range[3] = {1, 1, 1};  ///< 1,1,1 unless the kernel is an nd_range kernel
  std::uint64_t global_offset[3] = {0, 0, 0};
  std::uint64_t element_range[3] = {1, 1, 1};  ///< the work-items process this range of elements, one after the other
  std::uint32_t element_dimensions = 0;        ///< dimensions of element_range; 0: each work-item is one element

  constexpr bool is_empty() const noexcept {
    return global_range[0] == 0 || global_range[1] == 0 || global_range[2] == 0;
  }
  constexpr bool operator==(const launch_geometry&) const noexcept = default;
  constexpr bool visits_elements() const noexcept { return element_dimensions != 0; }
  constexpr id_width ids() const noexcept {
    bool fits = true;
    for (int d = 0; d < 3; ++d) fits &= global_range[d] + global_offset[d] < (std::uint64_t{1} << 31);
    return fits ? id_width::bits_32 : id_width::bits_64;
  }
};

}  // namespace sinter::abi
