#pragma once
/// sycl::accessor, host_accessor and local_accessor (SYCL 2020 4.7.6).
///
/// Accessors are trivially copyable pointers with ranges; the command they were made for keeps the memory alive. An index of
/// a ranged accessor counts from its offset.

#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "access.hpp"
#include "buffer.hpp"
#include "detail/core.hpp"
#include "detail/standard.hpp"
#include "id.hpp"
#include "multi_ptr.hpp"
#include "property_list.hpp"

namespace sycl {

class handler;

namespace detail {

SINTER_EXPORT handler_impl& implementation(handler& group) noexcept;

template <class Option>
inline constexpr bool is_accessor_option = false;
template <access_mode Mode>
inline constexpr bool is_accessor_option<mode_tag_t<Mode>> = true;
template <access_mode Mode, target Target>
inline constexpr bool is_accessor_option<mode_target_tag_t<Mode, Target>> = true;
template <>
inline constexpr bool is_accessor_option<property_list> = true;
template <class Option>
  requires(is_property_v<Option>)
inline constexpr bool is_accessor_option<Option> = true;

template <class Option>
struct option_facts {
  static constexpr bool has_mode = false;
  static constexpr access_mode mode = access_mode::read_write;
  static constexpr sycl::target target = sycl::target::device;
};
template <access_mode Mode>
struct option_facts<mode_tag_t<Mode>> {
  static constexpr bool has_mode = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = sycl::target::device;
};
template <access_mode Mode, target Target>
struct option_facts<mode_target_tag_t<Mode, Target>> {
  static constexpr bool has_mode = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = Target;
};

template <class T, class... Options>
constexpr access_mode deduce_mode() {
  access_mode mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write;
  ((mode = option_facts<Options>::has_mode ? option_facts<Options>::mode : mode), ...);
  return mode;
}
template <class... Options>
constexpr target deduce_target() {
  target result = target::device;
  ((result = option_facts<Options>::has_mode ? option_facts<Options>::target : result), ...);
  return result;
}

/// What the options of an accessor ask for, besides mode and target.
struct accessor_wishes {
  bool no_init = false;
  promotion promoted = promotion::none;

  template <class... Options>
  explicit accessor_wishes(const Options&... options) {
    (add(options), ...);
  }

private:
  template <class Option>
  void add(const Option& option) {
    if constexpr (is_property_v<Option>) {
      take(Option::kind);
    } else if constexpr (std::is_same_v<Option, property_list>) {
      for (property_kind kind : {property_kind::no_init, property_kind::promote_private, property_kind::promote_local}) {
        if (option.has_kind(kind)) take(kind);
      }
    }
  }
  void take(property_kind kind) {
    no_init |= kind == property_kind::no_init;
    if (kind == property_kind::promote_private) promoted = promotion::private_memory;
    if (kind == property_kind::promote_local) promoted = promotion::local_memory;
  }
};

/// acc[i][j]: the rest of the indices.
template <class Reference, class Pointer, int Remaining>
class subscript {
public:
  inline __attribute__((always_inline)) subscript(Pointer data, const std::size_t* extents, std::size_t index) noexcept
      : m_data(data), m_extents(extents), m_index(index) {}
  inline __attribute__((always_inline)) decltype(auto) operator[](std::size_t index) const noexcept {
    const std::size_t next = m_index * m_extents[0] + index;
    if constexpr (Remaining == 1) {
      return static_cast<Reference>(m_data[next]);
    } else {
      return subscript<Reference, Pointer, Remaining - 1>(m_data, m_extents + 1, next);
    }
  }

private:
  Pointer m_data;
  const std::size_t* m_extents;
  std::size_t m_index;
};

/// Element access common to all kinds. `m_data` points at the first element of the accessed range's origin (the offset).
template <class Derived, class T, int Dimensions>
class element_access {
public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  inline __attribute__((always_inline)) T& operator[](id<Dimensions> index) const noexcept {
    return self().data()[linear_index(index, self().extent())];
  }
  inline __attribute__((always_inline)) auto operator[](std::size_t index) const noexcept
    requires(Dimensions > 1)
  {
    return subscript<T&, T*, Dimensions - 1>(self().data(), &self().extent_data()[1], index);
  }

private:
  inline __attribute__((always_inline)) const Derived& self() const noexcept {
    return static_cast<const Derived&>(*this);
  }
};

} // namespace detail

template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write,
          target Target = target::device, access::placeholder IsPlaceholder = access::placeholder::false_t>
class accessor
    : public detail::element_access<accessor<T, Dimensions, Mode, Target, IsPlaceholder>,
                                    std::conditional_t<Mode == access_mode::read, const T, T>, Dimensions> {
  static_assert(Dimensions >= 1, "0-dimensional accessors are not supported");
  using element = std::conditional_t<Mode == access_mode::read, const T, T>;
  using plain = std::remove_const_t<T>;
  using base = detail::element_access<accessor, element, Dimensions>;

public:
  using iterator = element*;
  using const_iterator = const T*;
  static constexpr int dimensions = Dimensions;

  /// Empty, no placeholder.
  accessor() noexcept = default;

  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, handler& group, const Options&... options)
      : accessor(source, &group, source.get_range(), id<Dimensions>(), detail::accessor_wishes(options...)) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, handler& group, range<Dimensions> extent,
           const Options&... options)
      : accessor(source, &group, extent, id<Dimensions>(), detail::accessor_wishes(options...)) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, handler& group, range<Dimensions> extent,
           id<Dimensions> offset, const Options&... options)
      : accessor(source, &group, extent, offset, detail::accessor_wishes(options...)) {}

  // Without a command group: placeholders, bound by handler::require.
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, const Options&... options)
      : accessor(source, nullptr, source.get_range(), id<Dimensions>(), detail::accessor_wishes(options...)) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, range<Dimensions> extent, const Options&... options)
      : accessor(source, nullptr, extent, id<Dimensions>(), detail::accessor_wishes(options...)) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  accessor(buffer<plain, Dimensions, Allocator>& source, range<Dimensions> extent, id<Dimensions> offset,
           const Options&... options)
      : accessor(source, nullptr, extent, offset, detail::accessor_wishes(options...)) {}

  /// Read-write accessors convert to read-only ones.
  template <class Other, access_mode OtherMode, access::placeholder OtherPlaceholder>
    requires(Mode == access_mode::read && std::is_same_v<std::remove_const_t<Other>, plain> &&
             !std::is_same_v<accessor<Other, Dimensions, OtherMode, Target, OtherPlaceholder>, accessor>)
  accessor(const accessor<Other, Dimensions, OtherMode, Target, OtherPlaceholder>& other) noexcept
      : m_data(other.m_data), m_memory(other.m_memory), m_range(other.m_range), m_offset(other.m_offset),
        m_record(other.m_record), m_no_init(other.m_no_init), m_placeholder(other.m_placeholder),
        m_promotion(other.m_promotion) {}

  bool is_placeholder() const noexcept { return m_placeholder; }
  std::size_t size() const noexcept { return m_range.size(); }
  std::size_t max_size() const noexcept { return size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t get_count() const noexcept { return size(); }
  std::size_t get_size() const noexcept { return byte_size(); }
  bool empty() const noexcept { return size() == 0; }
  range<Dimensions> get_range() const noexcept { return m_range; }
  id<Dimensions> get_offset() const noexcept { return m_offset; }
  using base::operator[];

  /// Start of the buffer's memory, also for ranged accessors.
  element* get_pointer() const noexcept { return m_data - detail::linear_index(m_offset, m_memory); }
  template <access::decorated Decorated>
  multi_ptr<element, access::address_space::global_space, Decorated> get_multi_ptr() const noexcept {
    return multi_ptr<element, access::address_space::global_space, Decorated>(get_pointer());
  }
  // Elements of whole accessors are contiguous; iteration over parts of a multi-dimensional range is not supported.
  iterator begin() const noexcept { return m_data; }
  iterator end() const noexcept { return m_data + size(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }

  void swap(accessor& other) noexcept { std::swap(*this, other); }
  friend bool operator==(const accessor& a, const accessor& b) noexcept {
    return a.m_data == b.m_data && a.m_range == b.m_range && a.m_record == b.m_record;
  }
  friend bool operator!=(const accessor& a, const accessor& b) noexcept { return !(a == b); }

private:
  friend class handler;
  friend base;
  template <class, int, access_mode, target, access::placeholder>
  friend class accessor;

  template <class Allocator>
  accessor(buffer<plain, Dimensions, Allocator>& source, handler* group, const range<Dimensions>& extent,
           const id<Dimensions>& offset, const detail::accessor_wishes& wishes)
      : m_data(detail::buffer_access::data(source) + detail::linear_index(offset, source.get_range())),
        m_memory(source.get_range()), m_range(extent), m_offset(offset),
        m_record(detail::buffer_access::record(source)), m_no_init(wishes.no_init), m_placeholder(group == nullptr),
        m_promotion(detail::combine_promotion(m_record, wishes.promoted)) {
    detail::check_access("accessor", {extent_data(), Dimensions}, detail::extents_of(extent), detail::extents_of(offset),
                         Mode, m_no_init);
    if (group) detail::add_requirement(detail::implementation(*group), m_record, Mode, m_no_init, region());
  }

  /// Commands whose accessors reach other parts of the buffer need not wait for this one.
  detail::access_region region() const noexcept {
    return {get_pointer(), sizeof(T), Dimensions, extent_data(), detail::extents_of(m_range), detail::extents_of(m_offset)};
  }

  inline __attribute__((always_inline)) element* data() const noexcept { return m_data; }
  inline __attribute__((always_inline)) const range<Dimensions>& extent() const noexcept { return m_memory; }
  inline __attribute__((always_inline)) const std::size_t* extent_data() const noexcept {
    return detail::extents_of(m_memory);
  }

  element* m_data = nullptr;
  range<Dimensions> m_memory{};
  range<Dimensions> m_range{};
  id<Dimensions> m_offset{};
  detail::buffer_record* m_record = nullptr;
  bool m_no_init = false;
  bool m_placeholder = false;
  detail::promotion m_promotion = detail::promotion::none;
};

#define SINTER_ACCESSOR_GUIDES(...)                                                                                  \
  template <class T, int Dimensions, class Allocator, class... Options>                                              \
    requires(detail::is_accessor_option<Options> && ...)                                                             \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__, const Options&...)                                      \
      -> accessor<T, Dimensions, detail::deduce_mode<T, Options...>(), detail::deduce_target<Options...>(),          \
                  access::placeholder::false_t>;                                                                     \
  template <class T, int Dimensions, class Allocator, class... Options>                                              \
    requires(detail::is_accessor_option<Options> && ...)                                                             \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__, range<Dimensions>, const Options&...)                   \
      -> accessor<T, Dimensions, detail::deduce_mode<T, Options...>(), detail::deduce_target<Options...>(),          \
                  access::placeholder::false_t>;                                                                     \
  template <class T, int Dimensions, class Allocator, class... Options>                                              \
    requires(detail::is_accessor_option<Options> && ...)                                                             \
  accessor(buffer<T, Dimensions, Allocator>& __VA_OPT__(, ) __VA_ARGS__, range<Dimensions>, id<Dimensions>, const Options&...)   \
      -> accessor<T, Dimensions, detail::deduce_mode<T, Options...>(), detail::deduce_target<Options...>(),          \
                  access::placeholder::false_t>;
SINTER_ACCESSOR_GUIDES()
SINTER_ACCESSOR_GUIDES(handler&)
#undef SINTER_ACCESSOR_GUIDES

/// Access from the host; commands that conflict wait until it is destroyed.
template <class T, int Dimensions = 1, access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write>
class host_accessor : public detail::element_access<host_accessor<T, Dimensions, Mode>,
                                                    std::conditional_t<Mode == access_mode::read, const T, T>, Dimensions> {
  using element = std::conditional_t<Mode == access_mode::read, const T, T>;
  using plain = std::remove_const_t<T>;
  using base = detail::element_access<host_accessor, element, Dimensions>;

public:
  using iterator = element*;
  using const_iterator = const T*;

  host_accessor() noexcept = default;
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  host_accessor(buffer<plain, Dimensions, Allocator>& source, const Options&... options)
      : host_accessor(source, source.get_range(), id<Dimensions>(), options...) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  host_accessor(buffer<plain, Dimensions, Allocator>& source, range<Dimensions> extent, const Options&... options)
      : host_accessor(source, extent, id<Dimensions>(), options...) {}
  template <class Allocator, class... Options>
    requires(detail::is_accessor_option<Options> && ...)
  host_accessor(buffer<plain, Dimensions, Allocator>& source, range<Dimensions> extent, id<Dimensions> offset,
                const Options&... options)
      : m_data(detail::buffer_access::data(source) + detail::linear_index(offset, source.get_range())),
        m_memory(source.get_range()), m_range(extent), m_offset(offset) {
    detail::check_access("host_accessor", {extent_data(), Dimensions}, detail::extents_of(extent),
                         detail::extents_of(offset), Mode, detail::accessor_wishes(options...).no_init);
    m_access = detail::acquire_host_access(detail::buffer_access::record(source), Mode,
                                           {get_pointer(), sizeof(T), Dimensions, extent_data(),
                                            detail::extents_of(m_range), detail::extents_of(m_offset)});
  }

  std::size_t size() const noexcept { return m_range.size(); }
  std::size_t max_size() const noexcept { return size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  range<Dimensions> get_range() const noexcept { return m_range; }
  id<Dimensions> get_offset() const noexcept { return m_offset; }
  element* get_pointer() const noexcept { return m_data - detail::linear_index(m_offset, m_memory); }
  iterator begin() const noexcept { return m_data; }
  iterator end() const noexcept { return m_data + size(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  using base::operator[];

private:
  friend base;
  element* data() const noexcept { return m_data; }
  const range<Dimensions>& extent() const noexcept { return m_memory; }
  const std::size_t* extent_data() const noexcept { return detail::extents_of(m_memory); }

  element* m_data = nullptr;
  range<Dimensions> m_memory{};
  range<Dimensions> m_range{};
  id<Dimensions> m_offset{};
  detail::shared<detail::counted> m_access;
};

template <class T, int Dimensions, class Allocator, class... Options>
  requires(detail::is_accessor_option<Options> && ...)
host_accessor(buffer<T, Dimensions, Allocator>&, const Options&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, Options...>()>;
template <class T, int Dimensions, class Allocator, class... Options>
  requires(detail::is_accessor_option<Options> && ...)
host_accessor(buffer<T, Dimensions, Allocator>&, range<Dimensions>, const Options&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, Options...>()>;
template <class T, int Dimensions, class Allocator, class... Options>
  requires(detail::is_accessor_option<Options> && ...)
host_accessor(buffer<T, Dimensions, Allocator>&, range<Dimensions>, id<Dimensions>, const Options&...)
    -> host_accessor<T, Dimensions, detail::deduce_mode<T, Options...>()>;

/// Memory shared by the work-items of a group; nd_range kernels only. Uninitialised.
template <class T, int Dimensions = 1>
class local_accessor : public detail::element_access<local_accessor<T, Dimensions>, T, Dimensions> {
  using base = detail::element_access<local_accessor, T, Dimensions>;

public:
  using iterator = T*;
  using const_iterator = const T*;

  local_accessor() noexcept = default;
  local_accessor(range<Dimensions> extent, handler& group, const property_list& = {})
      : m_offset(detail::add_local_memory(detail::implementation(group), extent.size() * sizeof(T), alignof(T))),
        m_range(extent) {}

  std::size_t size() const noexcept { return m_range.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  range<Dimensions> get_range() const noexcept { return m_range; }
  T* get_pointer() const noexcept { return data(); }
  template <access::decorated Decorated>
  multi_ptr<T, access::address_space::local_space, Decorated> get_multi_ptr() const noexcept {
    return multi_ptr<T, access::address_space::local_space, Decorated>(data());
  }
  iterator begin() const noexcept { return data(); }
  iterator end() const noexcept { return data() + size(); }
  using base::operator[];

private:
  friend base;
  inline __attribute__((always_inline)) T* data() const noexcept {
    return reinterpret_cast<T*>(static_cast<char*>(__sinter_local_base()) + m_offset);
  }
  inline __attribute__((always_inline)) const range<Dimensions>& extent() const noexcept { return m_range; }
  inline __attribute__((always_inline)) const std::size_t* extent_data() const noexcept {
    return detail::extents_of(m_range);
  }

  std::size_t m_offset = 0;  ///< bytes into the group's local memory
  range<Dimensions> m_range{};
};

} // namespace sycl
