#pragma once
/// sycl::local_accessor (SYCL 2020 4.7.6.11): uninitialised memory that the work-items of a group share, for nd_range
/// and hierarchical kernels.

#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "detail/compiled_core.hpp"
#include "detail/element_access.hpp"
#include "multi_ptr.hpp"
#include "property_list.hpp"

namespace sycl::inline _V1 {

namespace detail {

struct dynamic_memory;

/// Whether the arguments are a mistake: no constructor of a local_accessor with `Dimensions` dimensions accepts them.
template <int Dimensions, class... Arguments>
inline constexpr bool mistakes_of_local_accessor = false;
template <int Dimensions, class First, class... Rest>
  requires(Dimensions > 0 && (range_rank<First> != 0 || buffer_rank<First> != 0 || std::is_arithmetic_v<First>))
inline constexpr bool mistakes_of_local_accessor<Dimensions, First, Rest...> =
    !(std::is_same_v<Rest, handler> || ...) || buffer_rank<First> != 0 ||
    (range_rank<First> != 0 && range_rank<First> != Dimensions) || (std::is_arithmetic_v<Rest> || ...);

}  // namespace detail

template <class T, int Dimensions = 1>
class local_accessor : public detail::element_access<local_accessor<T, Dimensions>, T, Dimensions> {
  static constexpr int rank = detail::rank_of<Dimensions>;
  using base = detail::element_access<local_accessor, T, Dimensions>;

public:
  static_assert(!std::is_same_v<T, detail::mistake>,
                "a local_accessor has an element type, which its range does not tell: sycl::local_accessor<float, 1>");

  local_accessor() noexcept = default;
  local_accessor(handler& group, const property_list& properties = {})
    requires(Dimensions == 0)
      : local_accessor(nullptr, range<1>(1), group, properties) {}
  local_accessor(range<rank> extent, handler& group, const property_list& properties = {})
    requires(Dimensions > 0)
      : local_accessor(nullptr, extent, group, properties) {}
  template <class... Rest>
    requires(sizeof...(Rest) > 0 && !(std::is_same_v<Rest, property_list> && ...))
  SINTER_MISTAKE_OF_CONSTRUCTOR("the range stands before the handler: local_accessor<T, 1>(range, handler)")
  local_accessor(handler&, const Rest&...) {}
  template <class First, class... Rest>
    requires(detail::mistakes_of_local_accessor<Dimensions, std::remove_cvref_t<First>, std::remove_cvref_t<Rest>...>)
  SINTER_MISTAKE_OF_CONSTRUCTOR(
      "a local_accessor is made from a range of as many dimensions, not a buffer, and the handler: "
      "sycl::local_accessor<int, 2>(sycl::range(8, 8), handler)")
  explicit local_accessor(First&&, Rest&&...) {}
  /// Makes a read-only accessor of the same memory.
  template <class Other>
    requires(std::is_const_v<T> && std::is_same_v<Other, std::remove_const_t<T>>)
  local_accessor(const local_accessor<Other, Dimensions>& other) noexcept
      : m_offset(other.m_offset), m_range(other.m_range) {}
  using base::operator=;

  local_ptr<T> get_pointer() const noexcept { return local_ptr<T>(data()); }
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<T, access::address_space::local_space, Decorated>;
  template <access::decorated Decorated>
  accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return accessor_ptr<Decorated>(data());
  }
  /// Local accessors have no properties.
  template <class Property>
  bool has_property() const noexcept {
    return false;
  }
  template <class Property>
  Property get_property() const {
    detail::throw_invalid("local_accessor::get_property: it was made without the property");
  }

  void swap(local_accessor& other) noexcept {
    local_accessor mine = *this;
    *this = other;
    other = mine;
  }
  friend bool operator==(const local_accessor& a, const local_accessor& b) noexcept {
    return a.m_offset == b.m_offset && a.m_range == b.m_range;
  }
  friend bool operator!=(const local_accessor& a, const local_accessor& b) noexcept { return !(a == b); }

private:
  friend base;
  friend struct detail::accessor_layout_check;
  friend struct detail::dynamic_memory;
  friend struct std::hash<local_accessor>;
  template <class, int>
  friend class local_accessor;

  local_accessor(decltype(nullptr), const range<rank>& extent, handler& group, const property_list&)
      : m_offset(detail::add_local_memory(detail::implementation(group), detail::bytes_of(extent, sizeof(T)),
                                          alignof(T))),
        m_range(extent) {}

  SINTER_DEVICE_INLINE T* data() const noexcept {
    return reinterpret_cast<T*>(static_cast<char*>(__sinter_local_base()) + m_offset);
  }
  SINTER_DEVICE_INLINE const range<rank>& extent() const noexcept { return m_range; }
  SINTER_DEVICE_INLINE const range<rank>& part() const noexcept { return m_range; }

  // The members are in the order of sinter/abi/accessor_layout.hpp.
  std::size_t m_offset = 0;  ///< offset in bytes in the group's local memory
  range<rank> m_range{};
};

template <int Dimensions>
local_accessor(range<Dimensions>, handler&) -> local_accessor<detail::mistake, Dimensions>;

}  // namespace sycl

template <class T, int Dimensions>
struct std::hash<sycl::local_accessor<T, Dimensions>> {
  std::size_t operator()(const sycl::local_accessor<T, Dimensions>& object) const noexcept { return object.m_offset; }
};
