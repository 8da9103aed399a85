#pragma once
/// A list that is mostly short: the first few elements need no memory of their own.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace sycl::inline _V1::detail {

template <class T, std::size_t Inline>
class short_list {
public:
  short_list() = default;
  short_list(short_list&& other) noexcept { swap(other); }
  short_list& operator=(short_list&&) = delete;

  void push_back(T value) {
    if (m_size < Inline) {
      m_first[m_size] = std::move(value);
    } else {
      m_others.push_back(std::move(value));
    }
    ++m_size;
  }
  void pop_back() noexcept {
    if (--m_size < Inline) {
      m_first[m_size] = T();
    } else {
      m_others.pop_back();
    }
  }
  std::size_t size() const noexcept { return m_size; }
  T& back() noexcept { return (*this)[m_size - 1]; }
  T& operator[](std::size_t i) noexcept { return i < Inline ? m_first[i] : m_others[i - Inline]; }
  const T& operator[](std::size_t i) const noexcept { return i < Inline ? m_first[i] : m_others[i - Inline]; }
  void clear() noexcept {
    for (std::size_t i = 0; i < m_size && i < Inline; ++i) m_first[i] = T();
    m_others.clear();
    m_size = 0;
  }
  /// Moves all elements to the end of another list or vector. This list is empty afterwards.
  template <class List>
  void move_to(List& others) {
    for (std::size_t i = 0; i < m_size; ++i) others.push_back(std::move((*this)[i]));
    clear();
  }
  void swap(short_list& other) noexcept {
    const std::size_t longest = std::max(m_size, other.m_size);
    for (std::size_t i = 0; i < Inline && i < longest; ++i) std::swap(m_first[i], other.m_first[i]);
    if (longest > Inline) m_others.swap(other.m_others);
    std::swap(m_size, other.m_size);
  }

private:
  T m_first[Inline];
  std::vector<T> m_others;
  std::size_t m_size = 0;
};

}  // namespace sycl::detail
