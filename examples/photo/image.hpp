#pragma once
/// A picture in host memory, for reading and writing PNG files.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace photo {

/// One pixel, sRGB encoded; 65535 is full intensity or opaque.
struct rgba16 {
  std::uint16_t red, green, blue, alpha;
};
static_assert(sizeof(rgba16) == 8);

struct image {
  std::size_t width = 0;
  std::size_t height = 0;
  bool has_alpha = false;      ///< if false, alpha is 65535 in all pixels
  std::vector<rgba16> pixels;  ///< width * height pixels, row by row
};

} // namespace photo
