#pragma once
/// The part of a buffer's memory that an accessor can access. A function tests whether two such parts have bytes in
/// common.

#include <cstddef>

#include <sycl/detail/compiled_core.hpp>

namespace sycl::inline _V1::detail {

/// An interval of bytes in the buffer's memory, or a two- or three-dimensional box of elements.
class region {
public:
  /// Makes a region that contains all of the memory.
  explicit region(std::size_t bytes) noexcept : m_end(bytes) {}
  /// Makes the region that an accessor can access. The memory begins at `data` and has `bytes` bytes.
  region(const access_region& part, const void* data, std::size_t bytes) noexcept;

  /// Bytes [begin, end).
  region(std::size_t begin, std::size_t end) noexcept : m_begin(begin), m_end(end) {}

  bool is_empty() const noexcept { return m_begin >= m_end; }
  /// begin() returns the offset of the region's first byte. end() returns the offset behind the region's last byte.
  std::size_t begin() const noexcept { return m_begin; }
  std::size_t end() const noexcept { return m_end; }
  /// Whether the region contains all bytes from begin() to end().
  bool is_contiguous() const noexcept { return m_contiguous; }
  /// Whether the two regions have a byte in common.
  bool meets(const region& other) const noexcept;
  /// Returns true only if this region contains each byte of `other`. The check is conservative: it may return false
  /// although this region contains all bytes of `other`.
  bool covers(const region& other) const noexcept;

private:
  bool is_alike(const region& other) const noexcept;

  std::size_t m_begin = 0, m_end = 0;
  bool m_contiguous = true;
  // The next members describe a region that is not contiguous: a box of elements in a view of the memory.
  std::size_t m_view = 0, m_element = 0;  ///< offset of the view's beginning; size of an element in bytes
  std::size_t m_memory[3] = {1, 1, 1}, m_offset[3] = {0, 0, 0}, m_range[3] = {1, 1, 1};
};

}  // namespace sycl::detail
