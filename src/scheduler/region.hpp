#pragma once
/// The part of a buffer's memory that an accessor reaches, and whether two of them meet.

#include <cstddef>

#include <sycl/detail/compiled_core.hpp>

namespace sycl::inline _V1::detail {

/// Bytes from the start of the buffer's memory; a box of rows where it has two or three dimensions.
class region {
public:
  /// A region that is all of the memory.
  explicit region(std::size_t bytes) noexcept : m_end(bytes) {}
  /// The bytes that an accessor reaches in memory that begins at `data` and has `bytes`.
  region(const access_region& part, const void* data, std::size_t bytes) noexcept;

  /// Bytes [begin, end).
  region(std::size_t begin, std::size_t end) noexcept : m_begin(begin), m_end(end) {}

  bool is_empty() const noexcept { return m_begin >= m_end; }
  /// The offset of the first byte, and the offset behind the last one.
  std::size_t begin() const noexcept { return m_begin; }
  std::size_t end() const noexcept { return m_end; }
  /// Whether it contains all bytes from begin to end.
  bool is_contiguous() const noexcept { return m_contiguous; }
  /// Whether a byte lies in both.
  bool meets(const region& other) const noexcept;
  /// True only if this region contains each byte of the other one. May be false although it does.
  bool covers(const region& other) const noexcept;

private:
  bool is_alike(const region& other) const noexcept;

  std::size_t m_begin = 0, m_end = 0;
  bool m_contiguous = true;
  // Not contiguous: a box in the elements of a view of the memory.
  std::size_t m_view = 0, m_element = 0;  ///< where the view begins; bytes of an element
  std::size_t m_memory[3] = {1, 1, 1}, m_offset[3] = {0, 0, 0}, m_range[3] = {1, 1, 1};
};

}  // namespace sycl::detail
