#pragma once
/// sycl::multi_ptr (SYCL 2020 4.7.7): a pointer with an address space in its type. In these headers, all address spaces
/// are generic; the JIT infers the actual spaces from the table of arguments.

#include <cstddef>
#include <type_traits>

#include "access.hpp"
#include "detail/standard.hpp"

namespace sycl::inline _V1 {

template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder IsPlaceholder>
class accessor;
template <class T, int Dimensions>
class local_accessor;
template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
class multi_ptr;

/// In Sinter, pointer types are never decorated with an address space.
template <class T>
struct remove_decoration {
  using type = T;
};
template <class T>
using remove_decoration_t = typename remove_decoration<T>::type;

namespace detail {

/// Whether a pointer to the space `from` converts implicitly to a pointer to the space `to`.
constexpr bool space_converts(access::address_space from, access::address_space to) noexcept {
  return from == to || (to == access::address_space::generic_space && from != access::address_space::constant_space);
}
constexpr bool space_reaches_global(access::address_space space) noexcept {
  return space == access::address_space::global_space || space == access::address_space::generic_space ||
         space == access::address_space::constant_space;
}
constexpr bool space_reaches_local(access::address_space space) noexcept {
  return space == access::address_space::local_space || space == access::address_space::generic_space;
}

}  // namespace detail

template <class T, access::address_space Space, access::decorated Decorated>
class multi_ptr {
  static constexpr bool legacy = Decorated == access::decorated::legacy;

public:
  static constexpr bool is_decorated = Decorated == access::decorated::yes;
  static constexpr access::address_space address_space = Space;
  using value_type = T;
  using element_type = T;
  using pointer = T*;
  using const_pointer = const T*;
  using pointer_t = T*;
  using const_pointer_t = const T*;
  using reference = std::add_lvalue_reference_t<T>;
  using reference_t = reference;
  using const_reference = std::add_lvalue_reference_t<const T>;
  using const_reference_t = const_reference;
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;

  constexpr multi_ptr() noexcept = default;
  constexpr multi_ptr(std::nullptr_t) noexcept {}
  explicit(!legacy) constexpr multi_ptr(T* pointer) noexcept : m_pointer(pointer) {}
  /// Converts to another decoration, to const, to void, or from another space to the generic space.
  template <class Other, access::address_space OtherSpace, access::decorated OtherDecorated>
    requires(std::is_convertible_v<Other*, T*> && detail::space_converts(OtherSpace, Space))
  constexpr multi_ptr(const multi_ptr<Other, OtherSpace, OtherDecorated>& other) noexcept
      : m_pointer(other.get_raw()) {}
  /// Converts from the generic space; the program promises that the memory is in `Space`. Also converts from a pointer
  /// to void.
  template <class Other, access::address_space OtherSpace, access::decorated OtherDecorated>
    requires((std::is_convertible_v<Other*, T*> && OtherSpace == access::address_space::generic_space &&
              !detail::space_converts(OtherSpace, Space)) ||
             (std::is_void_v<Other> && !std::is_void_v<T> && OtherSpace == Space &&
              (std::is_const_v<T> || !std::is_const_v<Other>)))
  explicit constexpr multi_ptr(const multi_ptr<Other, OtherSpace, OtherDecorated>& other) noexcept
      : m_pointer(static_cast<T*>(other.get_raw())) {}
  /// Makes a pointer to the start of the accessor's memory.
  template <class Other, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
    requires(detail::space_reaches_global(Space) &&
             std::is_convertible_v<std::conditional_t<Mode == access_mode::read, const Other, Other>*, T*>)
  explicit(!legacy) multi_ptr(const accessor<Other, Dimensions, Mode, target::device, IsPlaceholder>& memory) noexcept
      : m_pointer(memory.template get_multi_ptr<access::decorated::no>().get_raw()) {}
  /// Deprecated in SYCL 2020. Makes a pointer to elements that are not const.
  template <class Other, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
    requires(Space == access::address_space::constant_space && std::is_convertible_v<std::remove_const_t<Other>*, T*>)
  explicit(!legacy)
      multi_ptr(const accessor<Other, Dimensions, Mode, target::constant_buffer, IsPlaceholder>& memory) noexcept
      : m_pointer(memory.get_pointer().get_raw()) {}
  template <class Other, int Dimensions>
    requires(detail::space_reaches_local(Space) && std::is_convertible_v<Other*, T*>)
  explicit(!legacy) multi_ptr(const local_accessor<Other, Dimensions>& memory) noexcept
      : m_pointer(memory.template get_multi_ptr<access::decorated::no>().get_raw()) {}
  constexpr multi_ptr& operator=(std::nullptr_t) noexcept { return m_pointer = nullptr, *this; }

  constexpr T* get() const noexcept { return m_pointer; }
  constexpr T* get_raw() const noexcept { return m_pointer; }
  constexpr T* get_decorated() const noexcept { return m_pointer; }
  constexpr reference operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return *m_pointer;
  }
  constexpr T* operator->() const noexcept { return m_pointer; }
  constexpr reference operator[](difference_type i) const noexcept
    requires(!std::is_void_v<T>)
  {
    return m_pointer[i];
  }
  /// Deprecated in SYCL 2020.
  constexpr operator T*() const noexcept { return m_pointer; }
  /// A hint that has no effect, because CPUs prefetch without hints.
  void prefetch(std::size_t) const noexcept
    requires(Space == access::address_space::global_space)
  {}

  friend constexpr multi_ptr& operator++(multi_ptr& p) noexcept { return p += 1; }
  friend constexpr multi_ptr& operator--(multi_ptr& p) noexcept { return p -= 1; }
  friend constexpr multi_ptr operator++(multi_ptr& p, int) noexcept {
    multi_ptr old = p;
    p += 1;
    return old;
  }
  friend constexpr multi_ptr operator--(multi_ptr& p, int) noexcept {
    multi_ptr old = p;
    p -= 1;
    return old;
  }
  friend constexpr multi_ptr& operator+=(multi_ptr& p, difference_type n) noexcept { return p.m_pointer += n, p; }
  friend constexpr multi_ptr& operator-=(multi_ptr& p, difference_type n) noexcept { return p.m_pointer -= n, p; }
  friend constexpr multi_ptr operator+(const multi_ptr& p, difference_type n) noexcept {
    return multi_ptr(p.m_pointer + n);
  }
  friend constexpr multi_ptr operator-(const multi_ptr& p, difference_type n) noexcept {
    return multi_ptr(p.m_pointer - n);
  }
  friend constexpr difference_type operator-(const multi_ptr& a, const multi_ptr& b) noexcept
    requires(!std::is_void_v<T>)
  {
    return a.m_pointer - b.m_pointer;
  }

  // Both operands have the type multi_ptr. So a type that converts to multi_ptr, such as a raw pointer, is compared as
  // a pointer.
#define SINTER_POINTER_COMPARISON(op)                                              \
  template <class Same>                                                            \
    requires std::is_same_v<Same, multi_ptr>                                       \
  friend constexpr bool operator op(const Same& a, const Same& b) noexcept {       \
    return a.get_raw() op b.get_raw();                                             \
  }                                                                                \
  friend constexpr bool operator op(const multi_ptr& a, std::nullptr_t) noexcept { \
    return a.m_pointer op static_cast<T*>(nullptr);                                \
  }                                                                                \
  friend constexpr bool operator op(std::nullptr_t, const multi_ptr& b) noexcept { \
    return static_cast<T*>(nullptr) op b.m_pointer;                                \
  }
  SINTER_POINTER_COMPARISON(==)
  SINTER_POINTER_COMPARISON(!=)
  SINTER_POINTER_COMPARISON(<)
  SINTER_POINTER_COMPARISON(>)
  SINTER_POINTER_COMPARISON(<=)
  SINTER_POINTER_COMPARISON(>=)
#undef SINTER_POINTER_COMPARISON

private:
  T* m_pointer = nullptr;
};

template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
multi_ptr(accessor<T, Dimensions, Mode, target::device, IsPlaceholder>)
    -> multi_ptr<std::conditional_t<Mode == access_mode::read, const T, T>, access::address_space::global_space,
                 access::decorated::no>;
template <class T, int Dimensions>
multi_ptr(local_accessor<T, Dimensions>) -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;

#define SINTER_POINTER_ALIASES(name)                                                                 \
  template <class T, access::decorated Decorated = access::decorated::legacy>                        \
  using name##_ptr = multi_ptr<T, access::address_space::name##_space, Decorated>;                   \
  template <class T>                                                                                 \
  using raw_##name##_ptr = multi_ptr<T, access::address_space::name##_space, access::decorated::no>; \
  template <class T>                                                                                 \
  using decorated_##name##_ptr = multi_ptr<T, access::address_space::name##_space, access::decorated::yes>;
SINTER_POINTER_ALIASES(global)
SINTER_POINTER_ALIASES(local)
SINTER_POINTER_ALIASES(private)
SINTER_POINTER_ALIASES(generic)
#undef SINTER_POINTER_ALIASES
/// Deprecated in SYCL 2020.
template <class T>
using constant_ptr = multi_ptr<T, access::address_space::constant_space, access::decorated::legacy>;

template <access::address_space Space, access::decorated Decorated, class T>
constexpr multi_ptr<T, Space, Decorated> address_space_cast(T* pointer) noexcept {
  return multi_ptr<T, Space, Decorated>(pointer);
}
template <access::address_space Space, access::decorated Decorated, class T, access::address_space From,
          access::decorated FromDecorated>
constexpr multi_ptr<T, Space, Decorated> address_space_cast(multi_ptr<T, From, FromDecorated> pointer) noexcept {
  return multi_ptr<T, Space, Decorated>(pointer.get_raw());
}
/// Deprecated in SYCL 2020.
template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
constexpr multi_ptr<T, Space, Decorated> make_ptr(T* pointer) noexcept {
  return multi_ptr<T, Space, Decorated>(pointer);
}

}  // namespace sycl
