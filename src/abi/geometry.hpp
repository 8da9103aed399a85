#pragma once
/// The size of a launch. Arrays are in padded SYCL order (device_abi.hpp): for a kernel of D dimensions, the leading
/// 3-D entries are 1 in ranges and 0 in offsets.

#include <cstdint>

namespace sinter::abi {

/// The width of work-item ids in code. 32 bits are enough if in each dimension global range + offset is below 2^31.
enum class id_width : std::uint32_t { bits_32 = 0, bits_64 = 1 };

/// If the runtime may choose the local range, each dimension of the range has this value.
inline constexpr std::uint64_t automatic_local_range = ~std::uint64_t{0};

struct launch_geometry {
  std::uint64_t global_range[3] = {1, 1, 1};
  std::uint64_t local_range[3] = {1, 1, 1};  ///< 1,1,1 if the kernel is no nd_range kernel
  std::uint64_t global_offset[3] = {0, 0, 0};
  std::uint64_t element_range[3] = {1, 1, 1};  ///< range of elements; each work-item processes several
  std::uint32_t element_dimensions = 0;        ///< number of dimensions of element_range; 0: each work-item processes
                                               ///< one element

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
