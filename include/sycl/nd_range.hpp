#pragma once
/// sycl::nd_range: a global range that is divided into work-groups (SYCL 2020 4.9.1.2).

#include <type_traits>

#include "detail/mistake.hpp"
#include "id.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

/// The local range has to divide the global range. Otherwise submitting the kernel throws errc::nd_range.
class handler;

template <int Dimensions = 1>
class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  /// A constructor that DPC++ has. It makes an empty global range and an empty local range.
  constexpr nd_range() noexcept = default;
  constexpr nd_range(range<Dimensions> global, range<Dimensions> local, id<Dimensions> offset = {}) noexcept
      : m_global(global), m_local(local), m_offset(offset) {}
  template <int Global, int Local>
    requires(Global != Dimensions || Local != Dimensions)
  SINTER_MISTAKE_OF_CONSTRUCTOR("the global and the local range of an nd_range have as many dimensions as itself")
  constexpr nd_range(range<Global>, range<Local>) noexcept {}
  SINTER_MISTAKE_OF_CONSTRUCTOR(
      "an nd_range has a global range and the local one, of a group: sycl::nd_range<1>(1024, 64)")
  explicit constexpr nd_range(range<Dimensions>) noexcept {}

  constexpr range<Dimensions> get_global_range() const noexcept { return m_global; }
  constexpr range<Dimensions> get_local_range() const noexcept { return m_local; }
  constexpr range<Dimensions> get_group_range() const noexcept {
    range<Dimensions> groups = m_global;
    for (int i = 0; i < Dimensions; ++i) groups[i] = m_local[i] == 0 ? 0 : m_global[i] / m_local[i];
    return groups;
  }
  /// Deprecated in SYCL 2020.
  constexpr id<Dimensions> get_offset() const noexcept { return m_offset; }

  friend constexpr bool operator==(const nd_range& a, const nd_range& b) noexcept {
    return a.m_global == b.m_global && a.m_local == b.m_local && a.m_offset == b.m_offset;
  }
  friend constexpr bool operator!=(const nd_range& a, const nd_range& b) noexcept { return !(a == b); }

private:
  range<Dimensions> m_global;
  range<Dimensions> m_local;
  id<Dimensions> m_offset;
};

template <int Dimensions>
nd_range(range<Dimensions>, range<Dimensions>) -> nd_range<Dimensions>;
template <int Global, int Local>
  requires(Global != Local)
nd_range(range<Global>, range<Local>) -> nd_range<Global>;
#if defined(__clang__)
template <class Global, class Local>
  requires(std::is_integral_v<Global> && std::is_integral_v<Local>)
SINTER_MISTAKE_OF_GUIDE("numbers do not tell how many dimensions an nd_range has: sycl::nd_range<1>(1024, 64)")
nd_range(Global, Local) -> nd_range<1>;
#endif

} // namespace sycl
