#pragma once
/// Common parts of all accessors: the options of their constructors, element access and iteration.

#include <cstddef>
#include <type_traits>

#include "../access.hpp"
#include "../id.hpp"
#include "../property_list.hpp"
#include "../range.hpp"
#include "compiled_core.hpp"
#include "mistake.hpp"
#include "standard.hpp"

namespace sycl::inline _V1 {

class handler;
class queue;
template <class T, int Dimensions, class Allocator>
class buffer;

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
/// The type of an option of an accessor's constructor. The constructor takes up to two options. Each option is a
/// property_list by default, so that the program may pass a braced list for it.
template <class Option>
concept accessor_option = is_accessor_option<Option>;

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

/// The settings that the properties in a constructor's arguments give to an accessor.
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
      for (property_kind kind :
           {property_kind::no_init, property_kind::promote_private, property_kind::promote_local}) {
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

template <class>
inline constexpr int buffer_rank = 0;
template <class T, int Dimensions, class Allocator>
inline constexpr int buffer_rank<buffer<T, Dimensions, Allocator>> = Dimensions;
template <class>
inline constexpr int range_rank = 0;
template <int Dimensions>
inline constexpr int range_rank<range<Dimensions>> = Dimensions;
template <class>
inline constexpr int id_rank = 0;
template <int Dimensions>
inline constexpr int id_rank<id<Dimensions>> = Dimensions;

/// Whether one of these types can't be an argument of an accessor's constructor. `Rank` is the number of the buffer's
/// dimensions. A handler that directly follows the buffer is correct, and is not in `Types`. So every handler in
/// `Types` is a mistake.
template <int Rank, class... Types>
inline constexpr bool misfits_accessor =
    ((std::is_same_v<Types, handler> || std::is_same_v<Types, queue> || std::is_same_v<Types, access_mode> ||
      (range_rank<Types> != 0 && range_rank<Types> != Rank) || (id_rank<Types> != 0 && id_rank<Types> != Rank)) ||
     ...);
template <class... Types>
inline constexpr bool offset_before_range = false;
template <class First, class Second, class... Rest>
inline constexpr bool offset_before_range<First, Second, Rest...> =
    (id_rank<First> != 0 && range_rank<Second> != 0) || offset_before_range<Second, Rest...>;

/// Whether no accessor of any type can be made from the arguments, which is a mistake of the program. `Arguments` are
/// the types that forwarding references deduce.
template <class... Arguments>
inline constexpr bool mistakes_of_accessor = false;
template <class First, class Second, class... Rest>
inline constexpr bool mistakes_of_accessor<First, Second, Rest...> = [] {
  using buffer_type = std::remove_cvref_t<First>;
  using second = std::remove_cvref_t<Second>;
  constexpr int rank = buffer_rank<buffer_type>;
  if constexpr (rank == 0) {
    return std::is_same_v<second, handler> && requires(buffer_type container) { container.begin(); } &&
           range_rank<buffer_type> == 0;
  } else if constexpr (std::is_const_v<std::remove_reference_t<First>>) {
    return true;
  } else if constexpr (std::is_same_v<second, handler>) {
    return misfits_accessor<rank, std::remove_cvref_t<Rest>...> || offset_before_range<std::remove_cvref_t<Rest>...>;
  } else {
    return misfits_accessor<rank, second, std::remove_cvref_t<Rest>...> ||
           offset_before_range<second, std::remove_cvref_t<Rest>...>;
  }
}();

/// Whether no host_accessor can be made from the arguments. Returns false if a handler is among the arguments, because
/// constructors that take a handler have an error message of their own.
template <class... Arguments>
inline constexpr bool mistakes_of_host_accessor =
    mistakes_of_accessor<Arguments...> && !(std::is_same_v<std::remove_cvref_t<Arguments>, handler> || ...);

/// The result of acc[i] for an accessor of several dimensions; operator[] of this result takes the next index.
template <class Reference, class Pointer, int Remaining>
class subscript {
public:
  SINTER_DEVICE_INLINE subscript(Pointer data, const std::size_t* extents, std::size_t index) noexcept
      : m_data(data), m_extents(extents), m_index(index) {}
  SINTER_DEVICE_INLINE decltype(auto) operator[](std::size_t index) const noexcept {
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

/// Whether an accessor with elements T may be made from a buffer of Element: buffers of const elements can only be
/// read.
template <class Element, class T, access_mode Mode>
inline constexpr bool is_reached = std::is_same_v<std::remove_const_t<Element>, std::remove_const_t<T>> &&
                                   (!std::is_const_v<Element> || Mode == access_mode::read);

/// The number of dimensions for which an accessor stores sizes. Accessors of zero dimensions store one size.
template <int Dimensions>
inline constexpr int rank_of = Dimensions == 0 ? 1 : Dimensions;

/// Iterates over the elements of a part of a multi-dimensional range, in row-major order. The elements need not be
/// contiguous.
template <class T, int Dimensions>
class range_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  range_iterator() noexcept = default;
  /// `data` is the address of the part's first element.
  range_iterator(T* data, const range<Dimensions>& memory, const range<Dimensions>& part,
                 difference_type index) noexcept
      : m_data(data), m_memory(memory), m_part(part), m_index(index) {}

  T& operator*() const noexcept { return at(m_index); }
  T* operator->() const noexcept { return &at(m_index); }
  T& operator[](difference_type n) const noexcept { return at(m_index + n); }
  range_iterator& operator++() noexcept { return ++m_index, *this; }
  range_iterator& operator--() noexcept { return --m_index, *this; }
  range_iterator operator++(int) noexcept {
    range_iterator old = *this;
    return ++m_index, old;
  }
  range_iterator operator--(int) noexcept {
    range_iterator old = *this;
    return --m_index, old;
  }
  range_iterator& operator+=(difference_type n) noexcept { return m_index += n, *this; }
  range_iterator& operator-=(difference_type n) noexcept { return m_index -= n, *this; }
  friend range_iterator operator+(range_iterator i, difference_type n) noexcept { return i += n; }
  friend range_iterator operator+(difference_type n, range_iterator i) noexcept { return i += n; }
  friend range_iterator operator-(range_iterator i, difference_type n) noexcept { return i -= n; }
  friend difference_type operator-(const range_iterator& a, const range_iterator& b) noexcept {
    return a.m_index - b.m_index;
  }
  friend bool operator==(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index == b.m_index; }
  friend bool operator!=(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index != b.m_index; }
  friend bool operator<(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index < b.m_index; }
  friend bool operator>(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index > b.m_index; }
  friend bool operator<=(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index <= b.m_index; }
  friend bool operator>=(const range_iterator& a, const range_iterator& b) noexcept { return a.m_index >= b.m_index; }

private:
  T& at(difference_type index) const noexcept {
    std::size_t rest = static_cast<std::size_t>(index);
    id<Dimensions> position;
    for (int d = Dimensions - 1; d > 0; --d) {
      position[d] = rest % m_part[d];
      rest /= m_part[d];
    }
    position[0] = rest;
    return m_data[linear_index(position, m_memory)];
  }

  T* m_data = nullptr;
  range<Dimensions> m_memory{};
  range<Dimensions> m_part{};
  difference_type m_index = 0;
};

/// The common base of all accessors. `Element` is const if the accessor only reads. The derived class has three
/// functions: data() returns the start of the accessed part, extent() returns the size of the memory around the part,
/// and part() returns the size of the part.
template <class Derived, class Element, int Dimensions>
class element_access {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "accessors have 0 to 3 dimensions");

public:
  using value_type = Element;
  using reference = Element&;
  using const_reference = const Element&;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using iterator = std::conditional_t<(Dimensions > 1), range_iterator<Element, Dimensions>, Element*>;
  using const_iterator =
      std::conditional_t<(Dimensions > 1), range_iterator<const Element, Dimensions>, const Element*>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  static constexpr int dimensions = Dimensions;

  SINTER_DEVICE_INLINE Element& operator[](id<rank_of<Dimensions>> index) const noexcept
    requires(Dimensions > 0)
  {
    return self().data()[linear_index(index, self().extent())];
  }
  SINTER_DEVICE_INLINE auto operator[](std::size_t index) const noexcept
    requires(Dimensions > 1)
  {
    return subscript<Element&, Element*, Dimensions - 1>(self().data(), extents_of(self().extent()) + 1, index);
  }
  // An accessor of zero dimensions converts to its only element.
  SINTER_DEVICE_INLINE operator Element&() const noexcept
    requires(Dimensions == 0)
  {
    return *self().data();
  }
  SINTER_DEVICE_INLINE const Derived& operator=(const Element& value) const noexcept
    requires(Dimensions == 0 && !std::is_const_v<Element>)
  {
    *self().data() = value;
    return self();
  }

  std::size_t size() const noexcept { return self().part().size(); }
  std::size_t max_size() const noexcept { return size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(Element); }
  /// Deprecated in SYCL 2020.
  std::size_t get_count() const noexcept { return size(); }
  std::size_t get_size() const noexcept { return byte_size(); }
  bool empty() const noexcept { return size() == 0; }
  range<rank_of<Dimensions>> get_range() const noexcept
    requires(Dimensions > 0)
  {
    return self().part();
  }

  iterator begin() const noexcept { return position<Element, iterator>(0); }
  iterator end() const noexcept { return position<Element, iterator>(size()); }
  const_iterator cbegin() const noexcept { return position<const Element, const_iterator>(0); }
  const_iterator cend() const noexcept { return position<const Element, const_iterator>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

private:
  template <class Value, class Iterator>
  Iterator position(std::size_t index) const noexcept {
    if constexpr (Dimensions > 1) {
      return Iterator(self().data(), self().extent(), self().part(), static_cast<std::ptrdiff_t>(index));
    } else {
      return self().data() + index;
    }
  }
  SINTER_DEVICE_INLINE const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }
};

}  // namespace detail
}  // namespace sycl
