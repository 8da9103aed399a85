#include "region.hpp"

#include <algorithm>

namespace sycl::inline _V1::detail {

region::region(const access_region& part, const void* data, std::size_t bytes) noexcept {
  if (!part.view || !data) {
    m_end = bytes;
    return;
  }
  m_view = static_cast<std::size_t>(static_cast<const char*>(part.view) - static_cast<const char*>(data));
  m_element = part.element_bytes;
  std::size_t first = 0, last = 0;
  for (int i = 0, at = 3 - part.dimensions; i < part.dimensions; ++i, ++at) {
    m_memory[at] = part.memory[i];
    m_offset[at] = part.offset[i];
    m_range[at] = part.range[i];
    if (m_range[at] == 0) return;  // the range is empty
    // Take the outermost dimension in which the part has more than one element. The part has no gaps if it is full in
    // all dimensions that are further inside.
    const bool outer_is_single =
        i == 0 || std::all_of(part.range, part.range + i, [](std::size_t size) { return size == 1; });
    if (!outer_is_single && m_range[at] != m_memory[at]) m_contiguous = false;
    first = first * m_memory[at] + m_offset[at];
    last = last * m_memory[at] + m_offset[at] + m_range[at] - 1;
  }
  m_begin = m_view + first * m_element;
  m_end = m_view + (last + 1) * m_element;
}

bool region::is_alike(const region& other) const noexcept {
  return m_view == other.m_view && m_element == other.m_element && std::equal(m_memory, m_memory + 3, other.m_memory);
}

bool region::meets(const region& other) const noexcept {
  if (is_empty() || other.is_empty() || m_begin >= other.m_end || other.m_begin >= m_end) return false;
  if ((m_contiguous && other.m_contiguous) || !is_alike(other)) return true;
  for (int d = 0; d < 3; ++d) {
    if (m_offset[d] >= other.m_offset[d] + other.m_range[d] || other.m_offset[d] >= m_offset[d] + m_range[d])
      return false;
  }
  return true;
}

bool region::covers(const region& other) const noexcept {
  if (other.is_empty()) return true;
  if (m_begin > other.m_begin || m_end < other.m_end) return false;
  if (m_contiguous) return true;
  if (!is_alike(other)) return false;
  for (int d = 0; d < 3; ++d) {
    if (m_offset[d] > other.m_offset[d] || m_offset[d] + m_range[d] < other.m_offset[d] + other.m_range[d])
      return false;
  }
  return true;
}

}  // namespace sycl::detail
