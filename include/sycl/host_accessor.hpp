#pragma once
/// sycl::host_accessor (SYCL 2020 4.7.6.10): access from the host. The constructor waits until the data is available.
/// Conflicting commands wait until the last copy of the accessor is destroyed.

#include <type_traits>

#include "buffer.hpp"
#include "detail/compiled_core.hpp"
#include "detail/element_access.hpp"
#include "id.hpp"

namespace sycl::inline _V1 {

template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write>
class host_accessor
    : public detail::element_access<host_accessor<T, Dimensions, Mode>,
                                    std::conditional_t<Mode == access_mode::read, const T, T>, Dimensions> {
  static constexpr int rank = detail::rank_of<Dimensions>;
  using element = std::conditional_t<Mode == access_mode::read, const T, T>;
  using plain = std::remove_const_t<T>;
  using base = detail::element_access<host_accessor, element, Dimensions>;

public:
  host_accessor() noexcept = default;
  /// Zero-dimensional accessors access the buffer's first element. The mode tag and the properties are the same as for
  /// sycl::accessor.
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode>)
  host_accessor(buffer<Element, rank, Allocator>& source, const First& first = {}, const Second& second = {},
                const Rest&... rest)
      : host_accessor(detail::accessor_wishes(first, second, rest...), source, whole(source), id<rank>()) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  host_accessor(buffer<Element, rank, Allocator>& source, range<rank> extent,
                const First& first = {}, const Second& second = {}, const Rest&... rest)
      : host_accessor(detail::accessor_wishes(first, second, rest...), source, extent, id<rank>()) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  host_accessor(buffer<Element, rank, Allocator>& source, range<rank> extent, id<rank> offset,
                const First& first = {}, const Second& second = {}, const Rest&... rest)
      : host_accessor(detail::accessor_wishes(first, second, rest...), source, extent, offset) {}

  template <class Element, int Rank, class Allocator, class... Rest>
  SINTER_MISTAKE_OF_CONSTRUCTOR("a host_accessor takes no handler: it waits itself; kernels take an accessor")
  host_accessor(buffer<Element, Rank, Allocator>&, handler&, const Rest&...) {}

  template <class First, class... Rest>
    requires(detail::mistakes_of_host_accessor<First, Rest...>)
  SINTER_MISTAKE_OF_CONSTRUCTOR(
      "a host_accessor is made from a buffer that is not const, a range and an offset for a part of it, and "
      "sycl::read_only, sycl::write_only or sycl::read_write, in this order")
  explicit host_accessor(First&&, Rest&&...) {}

  /// Read-write accessors convert to read-only accessors.
  template <class Other, access_mode OtherMode>
    requires(Mode == access_mode::read && std::is_same_v<std::remove_const_t<Other>, plain> &&
             !std::is_same_v<host_accessor<Other, Dimensions, OtherMode>, host_accessor>)
  host_accessor(const host_accessor<Other, Dimensions, OtherMode>& other) noexcept
      : m_data(other.m_data),
        m_memory(other.m_memory),
        m_range(other.m_range),
        m_offset(other.m_offset),
        m_access(other.m_access) {}
  using base::operator=;

  /// Deprecated in SYCL 2020. For programs that use the old name of host accessors (target::host_buffer).
  constexpr bool is_placeholder() const noexcept { return false; }
  id<rank> get_offset() const noexcept
    requires(Dimensions > 0)
  {
    return m_offset;
  }
  /// Returns the start of the buffer's memory, also for ranged accessors.
  element* get_pointer() const noexcept { return m_data - detail::linear_index(m_offset, m_memory); }

  /// The only property of accessors is no_init.
  template <class Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && m_no_init;
  }
  template <class Property>
  Property get_property() const {
    if (!has_property<Property>())
      detail::throw_invalid("host_accessor::get_property: it was made without the property");
    return Property();
  }

  void swap(host_accessor& other) noexcept {
    host_accessor mine = *this;
    *this = other;
    other = mine;
  }
  friend bool operator==(const host_accessor& a, const host_accessor& b) noexcept {
    return a.m_data == b.m_data && a.m_access == b.m_access;
  }
  friend bool operator!=(const host_accessor& a, const host_accessor& b) noexcept { return !(a == b); }

private:
  friend base;
  friend struct std::hash<host_accessor>;
  template <class, int, access_mode>
  friend class host_accessor;

  template <class Element, class Allocator>
  host_accessor(const detail::accessor_wishes& wishes, buffer<Element, rank, Allocator>& source,
                const range<rank>& extent, const id<rank>& offset)
      : m_data(detail::buffer_access::data(source) + detail::linear_index(offset, source.get_range())),
        m_memory(source.get_range()),
        m_range(extent),
        m_offset(offset),
        m_no_init(wishes.no_init) {
    detail::check_access("host_accessor", {detail::extents_of(m_memory), rank}, detail::extents_of(extent),
                         detail::extents_of(offset), Mode, wishes.no_init);
    m_access = detail::acquire_host_access(detail::buffer_access::record(source), Mode, m_no_init,
                                           {get_pointer(), sizeof(T), rank, detail::extents_of(m_memory),
                                            detail::extents_of(m_range), detail::extents_of(m_offset)});
  }
  template <class Buffer>
  static range<rank> whole(const Buffer& source) noexcept {
    if constexpr (Dimensions == 0) {
      return range<1>(source.size() == 0 ? 0 : 1);
    } else {
      return source.get_range();
    }
  }
  element* data() const noexcept { return m_data; }
  const range<rank>& extent() const noexcept { return m_memory; }
  const range<rank>& part() const noexcept { return m_range; }

  element* m_data = nullptr;
  range<rank> m_memory{};
  range<rank> m_range{};
  id<rank> m_offset{};
  bool m_no_init = false;
  detail::shared<detail::counted> m_access;
};

template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,
          detail::accessor_option Second = property_list, detail::accessor_option... Rest>
host_accessor(buffer<T, Dimensions, Allocator>&, const First& = {}, const Second& = {}, const Rest&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>()>;
template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,
          detail::accessor_option Second = property_list, detail::accessor_option... Rest>
host_accessor(buffer<T, Dimensions, Allocator>&, std::type_identity_t<range<Dimensions>>,
              const First& = {}, const Second& = {}, const Rest&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>()>;
template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,
          detail::accessor_option Second = property_list, detail::accessor_option... Rest>
host_accessor(buffer<T, Dimensions, Allocator>&, std::type_identity_t<range<Dimensions>>,
              std::type_identity_t<id<Dimensions>>, const First& = {}, const Second& = {}, const Rest&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>()>;

template <class T, int Dimensions, class Allocator, class... Rest>
host_accessor(buffer<T, Dimensions, Allocator>&, handler&, const Rest&...) -> host_accessor<T, Dimensions>;
template <class First, class... Rest>
  requires(detail::mistakes_of_host_accessor<First, Rest...>)
host_accessor(First&&, Rest&&...) -> host_accessor<int>;

}  // namespace sycl

template <class T, int Dimensions, sycl::access_mode Mode>
struct std::hash<sycl::host_accessor<T, Dimensions, Mode>> {
  std::size_t operator()(const sycl::host_accessor<T, Dimensions, Mode>& object) const noexcept {
    return std::hash<const void*>()(object.m_access.address());
  }
};
