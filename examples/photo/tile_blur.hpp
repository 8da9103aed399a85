#pragma once
/// A 5 x 5 Gaussian blur by work-groups that share a tile of the picture in local memory.

#include <sycl/sycl.hpp>

namespace photo {

/// One group of 16 x 16 work-items loads its pixels and a border of two, blurs the rows of the tile, then its columns.
/// The picture's edge pixels are repeated outwards. Captured by value in a kernel that is launched over launch().
class tile_blur {
public:
  static constexpr std::size_t side = 16;   ///< of a work-group
  static constexpr std::size_t border = 2;  ///< reach of the 5 taps
  static constexpr std::size_t outer = side + 2 * border;

  using source_type = sycl::accessor<float, 2, sycl::access_mode::read>;

  tile_blur(const source_type& source, sycl::handler& handler)
      : m_source(source), m_tile(sycl::range<2>(outer, outer), handler), m_rows(sycl::range<2>(outer, side), handler) {}

  /// Whole groups that cover a picture of this size.
  static sycl::nd_range<2> launch(sycl::range<2> size) {
    const auto whole = [](std::size_t n) { return (n + side - 1) / side * side; };
    return {sycl::range<2>(whole(size[0]), whole(size[1])), sycl::range<2>(side, side)};
  }

  /// The blurred pixel of this work-item. All work-items of the group must call it: it has two barriers.
  float operator()(const sycl::nd_item<2>& item) const {
    const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
    const std::size_t first = y * side + x;

    for (std::size_t i = first; i < outer * outer; i += side * side) {
      const std::size_t row = i / outer, column = i % outer;
      m_tile[row][column] = m_source[clamped(item.get_group(0) * side + row, m_source.get_range()[0])]
                                    [clamped(item.get_group(1) * side + column, m_source.get_range()[1])];
    }
    sycl::group_barrier(item.get_group());

    for (std::size_t i = first; i < outer * side; i += side * side) {
      const std::size_t row = i / side, column = i % side;
      m_rows[row][column] = taps(m_tile[row][column], m_tile[row][column + 1], m_tile[row][column + 2],
                                 m_tile[row][column + 3], m_tile[row][column + 4]);
    }
    sycl::group_barrier(item.get_group());

    return taps(m_rows[y][x], m_rows[y + 1][x], m_rows[y + 2][x], m_rows[y + 3][x], m_rows[y + 4][x]);
  }

private:
  /// `place` counts from the tile's border, two pixels before the group's first one.
  static std::size_t clamped(std::size_t place, std::size_t size) {
    const std::size_t inside = place < border ? 0 : place - border;
    return inside < size ? inside : size - 1;
  }

  static float taps(float a, float b, float c, float d, float e) {
    return (a + e) * (1.0f / 16) + (b + d) * (4.0f / 16) + c * (6.0f / 16);
  }

  source_type m_source;
  sycl::local_accessor<float, 2> m_tile;
  sycl::local_accessor<float, 2> m_rows;
};

} // namespace photo
