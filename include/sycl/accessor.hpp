#pragma once
/// sycl::accessor (SYCL 2020 4.7.6.9); host_accessor and local_accessor have headers of their own.
///
/// Accessors are trivially copyable pointers with ranges. A command keeps the memory of its accessors alive. The
/// indices of a ranged accessor count from the accessor's offset.

#include <cstdint>
#include <type_traits>

#include "access.hpp"
#include "buffer.hpp"
#include "detail/compiled_core.hpp"
#include "detail/element_access.hpp"
#include "host_accessor.hpp"
#include "id.hpp"
#include "local_accessor.hpp"
#include "multi_ptr.hpp"
#include "property_list.hpp"

#define SINTER_ACCESSOR_ORDER                                                                                         \
  "an accessor is made from a buffer that is not const, the handler of the command group, a range and an offset for " \
  "a part of it, and sycl::read_only, sycl::write_only or sycl::read_write, in this order"

namespace sycl::inline _V1 {

template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write,
          target Target = target::device, access::placeholder IsPlaceholder = access::placeholder::false_t>
class accessor : public detail::element_access<accessor<T, Dimensions, Mode, Target, IsPlaceholder>,
                                               std::conditional_t<Mode == access_mode::read, const T, T>, Dimensions> {
  static constexpr int rank = detail::rank_of<Dimensions>;
  using element = std::conditional_t<Mode == access_mode::read, const T, T>;
  using plain = std::remove_const_t<T>;
  using base = detail::element_access<accessor, element, Dimensions>;

public:
  /// Makes an empty accessor. The accessor is not a placeholder.
  accessor() noexcept = default;

  /// Zero-dimensional accessors access the buffer's first element. `first` and `second` are a mode tag and properties;
  /// each of them may be omitted. Properties are a property_list, a property_list in braces, or one property.
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode>)
  accessor(buffer<Element, rank, Allocator>& source, handler& group,
           const First& first = {}, const Second& second = {}, const Rest&... rest)
      : accessor(source, &group, whole(source), id<rank>(), detail::accessor_wishes(first, second, rest...)) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  accessor(buffer<Element, rank, Allocator>& source, handler& group, range<rank> extent,
           const First& first = {}, const Second& second = {}, const Rest&... rest)
      : accessor(source, &group, extent, id<rank>(), detail::accessor_wishes(first, second, rest...)) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  accessor(buffer<Element, rank, Allocator>& source, handler& group, range<rank> extent, id<rank> offset,
           const First& first = {}, const Second& second = {}, const Rest&... rest)
      : accessor(source, &group, extent, offset, detail::accessor_wishes(first, second, rest...)) {}

  // Accessors without a command group are placeholders; handler::require binds them to a command group.
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode>)
  accessor(buffer<Element, rank, Allocator>& source, const First& first = {}, const Second& second = {},
           const Rest&... rest)
      : accessor(source, nullptr, whole(source), id<rank>(), detail::accessor_wishes(first, second, rest...)) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  accessor(buffer<Element, rank, Allocator>& source, range<rank> extent,
           const First& first = {}, const Second& second = {}, const Rest&... rest)
      : accessor(source, nullptr, extent, id<rank>(), detail::accessor_wishes(first, second, rest...)) {}
  template <class Element, class Allocator, detail::accessor_option First = property_list,
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>
    requires(detail::is_reached<Element, T, Mode> && Dimensions > 0)
  accessor(buffer<Element, rank, Allocator>& source, range<rank> extent, id<rank> offset,
           const First& first = {}, const Second& second = {}, const Rest&... rest)
      : accessor(source, nullptr, extent, offset, detail::accessor_wishes(first, second, rest...)) {}

  // Overloads that match common mistakes, so that the compiler's error message is one sentence.
  template <class Handler, class Element, int Rank, class Allocator, class... Rest>
    requires(std::is_same_v<Handler, handler>)
  SINTER_MISTAKE_OF_CONSTRUCTOR("the buffer stands before the handler: accessor(buffer, handler, sycl::read_only)")
  accessor(Handler&, buffer<Element, Rank, Allocator>&, const Rest&...) {}
  template <class Element, int Rank, class Allocator, class... Rest>
    requires(Rank != rank)
  SINTER_MISTAKE_OF_CONSTRUCTOR("the accessor has other dimensions than its buffer")
  accessor(buffer<Element, Rank, Allocator>&, const Rest&...) {}
  template <class Element, class Allocator, class... Rest>
    requires(!detail::is_reached<Element, T, Mode>)
  SINTER_MISTAKE_OF_CONSTRUCTOR("the accessor has another element type than its buffer, or changes const elements")
  accessor(buffer<Element, rank, Allocator>&, const Rest&...) {}
  template <class... Arguments>
    requires(detail::mistakes_of_accessor<Arguments...>)
  SINTER_MISTAKE_OF_CONSTRUCTOR(SINTER_ACCESSOR_ORDER)
  explicit accessor(Arguments&&...) {}

  /// Read-write accessors convert to read-only accessors. The template argument access::placeholder (deprecated) has no
  /// effect on conversions.
  template <class Other, access_mode OtherMode, access::placeholder OtherPlaceholder>
    requires(std::is_same_v<std::remove_const_t<Other>, plain> &&
             (Mode == access_mode::read || (Mode == OtherMode && std::is_same_v<Other, T>)) &&
             !std::is_same_v<accessor<Other, Dimensions, OtherMode, Target, OtherPlaceholder>, accessor>)
  accessor(const accessor<Other, Dimensions, OtherMode, Target, OtherPlaceholder>& other) noexcept
      : m_data(other.m_data),
        m_memory(other.m_memory),
        m_range(other.m_range),
        m_offset(other.m_offset),
        m_record(other.m_record),
        m_no_init(other.m_no_init),
        m_placeholder(other.m_placeholder),
        m_promotion(other.m_promotion) {}
  using base::operator=;

  bool is_placeholder() const noexcept { return m_placeholder; }
  id<rank> get_offset() const noexcept
    requires(Dimensions > 0)
  {
    return m_offset;
  }

  /// Returns the start of the buffer's memory, also for ranged accessors.
  auto get_pointer() const noexcept {
    if constexpr (Target == target::device) {
      return global_ptr<element>(start());
    } else if constexpr (Target == target::constant_buffer) {
      return constant_ptr<std::remove_const_t<T>>(const_cast<std::remove_const_t<T>*>(start()));
    } else {
      return start();
    }
  }
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<element, access::address_space::global_space, Decorated>;
  template <access::decorated Decorated>
  accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return accessor_ptr<Decorated>(start());
  }

  /// The only property of accessors is no_init.
  template <class Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && m_no_init;
  }
  template <class Property>
  Property get_property() const {
    if (!has_property<Property>()) detail::throw_invalid("accessor::get_property: it was made without the property");
    return Property();
  }

  void swap(accessor& other) noexcept {
    accessor mine = *this;
    *this = other;
    other = mine;
  }
  friend bool operator==(const accessor& a, const accessor& b) noexcept {
    return a.m_data == b.m_data && a.m_range == b.m_range && a.m_offset == b.m_offset && a.m_record == b.m_record;
  }
  friend bool operator!=(const accessor& a, const accessor& b) noexcept { return !(a == b); }

private:
  friend class handler;
  friend class interop_handle;
  friend struct detail::accessor_layout_check;
  friend struct detail::accessor_use;
  friend struct detail::accessor_memory;
  friend base;
  friend struct std::hash<accessor>;
  template <class, int, access_mode, target, access::placeholder>
  friend class accessor;

  template <class Element, class Allocator>
  accessor(buffer<Element, rank, Allocator>& source, handler* group, const range<rank>& extent, const id<rank>& offset,
           const detail::accessor_wishes& wishes)
      : m_data(detail::buffer_access::data(source) + detail::linear_index(offset, source.get_range())),
        m_memory(source.get_range()),
        m_range(extent),
        m_offset(offset),
        m_record(detail::buffer_access::record(source)),
        m_no_init(wishes.no_init),
        m_placeholder(group == nullptr),
        m_promotion(detail::combine_promotion(m_record, wishes.promoted)) {
    detail::check_access(group ? "accessor" : "placeholder accessor", {detail::extents_of(m_memory), rank},
                         detail::extents_of(extent), detail::extents_of(offset), Mode, m_no_init);
    if (group) {
      detail::add_requirement(detail::implementation(*group), m_record, Mode, m_no_init, region());
    } else {
      detail::note_placeholder();
    }
  }

  /// The part of the buffer that the accessor reaches. Commands that use other parts of the buffer need not wait for
  /// this command.
  detail::access_region region() const noexcept {
    return {start(),
            sizeof(T),
            rank,
            detail::extents_of(m_memory),
            detail::extents_of(m_range),
            detail::extents_of(m_offset),
            Target == target::host_task};
  }

  template <class Buffer>
  static range<rank> whole(const Buffer& source) noexcept {
    if constexpr (Dimensions == 0) {
      return range<1>(source.size() == 0 ? 0 : 1);
    } else {
      return source.get_range();
    }
  }
  element* start() const noexcept { return m_data - detail::linear_index(m_offset, m_memory); }
  SINTER_DEVICE_INLINE element* data() const noexcept { return m_data; }
  SINTER_DEVICE_INLINE const range<rank>& extent() const noexcept { return m_memory; }
  SINTER_DEVICE_INLINE const range<rank>& part() const noexcept { return m_range; }

  // The runtime reads these members from argument blocks, in the order of sinter/abi/accessor_layout.hpp. src/memory
  // checks the order.
  element* m_data = nullptr;
  range<rank> m_memory{};
  range<rank> m_range{};
  id<rank> m_offset{};
  detail::buffer_record* m_record = nullptr;
  bool m_no_init = false;
  bool m_placeholder = false;
  detail::promotion m_promotion = detail::promotion::none;
};

/// Old names of local_accessor and host_accessor, deprecated in SYCL 2020.
template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, Mode, target::local, IsPlaceholder> : public local_accessor<T, Dimensions> {
public:
  using local_accessor<T, Dimensions>::local_accessor;
  using local_accessor<T, Dimensions>::operator=;
};
template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, Mode, target::host_buffer, IsPlaceholder> : public host_accessor<T, Dimensions, Mode> {
public:
  using host_accessor<T, Dimensions, Mode>::host_accessor;
  using host_accessor<T, Dimensions, Mode>::operator=;
};

template <class T, int Dimensions, class Allocator, class... Rest>
accessor(handler&, buffer<T, Dimensions, Allocator>&, const Rest&...) -> accessor<T, Dimensions>;
template <class... Arguments>
  requires(detail::mistakes_of_accessor<Arguments...>)
accessor(Arguments&&...) -> accessor<int>;

#define SINTER_ACCESSOR_GUIDES(...)                                                                               \
  template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,              \
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>                      \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__,                                          \
           const First& = {}, const Second& = {}, const Rest&...)                                                 \
      -> accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>(),                                \
                  detail::deduce_target<First, Second, Rest...>(), access::placeholder::false_t>;                 \
  template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,              \
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>                      \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__, std::type_identity_t<range<Dimensions>>, \
           const First& = {}, const Second& = {}, const Rest&...)                                                 \
      -> accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>(),                                \
                  detail::deduce_target<First, Second, Rest...>(), access::placeholder::false_t>;                 \
  template <class T, int Dimensions, class Allocator, detail::accessor_option First = property_list,              \
            detail::accessor_option Second = property_list, detail::accessor_option... Rest>                      \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__, std::type_identity_t<range<Dimensions>>, \
           std::type_identity_t<id<Dimensions>>, const First& = {}, const Second& = {}, const Rest&...)           \
      -> accessor<T, Dimensions, detail::deduce_mode<T, First, Second, Rest...>(),                                \
                  detail::deduce_target<First, Second, Rest...>(), access::placeholder::false_t>;
SINTER_ACCESSOR_GUIDES()
SINTER_ACCESSOR_GUIDES(handler&)
#undef SINTER_ACCESSOR_GUIDES

}  // namespace sycl

template <class T, int Dimensions, sycl::access_mode Mode, sycl::target Target, sycl::access::placeholder IsPlaceholder>
struct std::hash<sycl::accessor<T, Dimensions, Mode, Target, IsPlaceholder>> {
  std::size_t operator()(const sycl::accessor<T, Dimensions, Mode, Target, IsPlaceholder>& object) const noexcept {
    return reinterpret_cast<std::uintptr_t>(object.m_data);
  }
};
