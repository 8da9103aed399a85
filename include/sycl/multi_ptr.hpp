#pragma once
/// sycl::multi_ptr (SYCL 2020 4.7.7): a pointer that carries its address space as a type. All spaces are generic here; the
/// JIT recovers them from the argument table.

#include <cstddef>
#include <type_traits>

#include "access.hpp"
#include "detail/standard.hpp"

namespace sycl {

template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
class multi_ptr {
public:
  static constexpr bool is_decorated = Decorated == access::decorated::yes;
  static constexpr access::address_space address_space = Space;
  using value_type = T;
  using pointer = T*;
  using reference = std::add_lvalue_reference_t<T>;
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;

  constexpr multi_ptr() noexcept = default;
  constexpr multi_ptr(std::nullptr_t) noexcept {}
  explicit constexpr multi_ptr(T* pointer) noexcept : m_pointer(pointer) {}
  /// Between decorations, to const and from other spaces to the generic one.
  template <class Other, access::address_space OtherSpace, access::decorated OtherDecorated>
    requires(std::is_convertible_v<Other*, T*> &&
             (OtherSpace == Space || Space == access::address_space::generic_space))
  constexpr multi_ptr(const multi_ptr<Other, OtherSpace, OtherDecorated>& other) noexcept : m_pointer(other.get_raw()) {}

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

  friend constexpr multi_ptr& operator++(multi_ptr& p) noexcept { return p += 1; }
  friend constexpr multi_ptr& operator--(multi_ptr& p) noexcept { return p -= 1; }
  friend constexpr multi_ptr& operator+=(multi_ptr& p, difference_type n) noexcept { return p.m_pointer += n, p; }
  friend constexpr multi_ptr& operator-=(multi_ptr& p, difference_type n) noexcept { return p.m_pointer -= n, p; }
  friend constexpr multi_ptr operator+(const multi_ptr& p, difference_type n) noexcept { return multi_ptr(p.m_pointer + n); }
  friend constexpr multi_ptr operator-(const multi_ptr& p, difference_type n) noexcept { return multi_ptr(p.m_pointer - n); }
  friend constexpr bool operator==(const multi_ptr& a, const multi_ptr& b) noexcept { return a.m_pointer == b.m_pointer; }
  friend constexpr bool operator==(const multi_ptr& a, std::nullptr_t) noexcept { return a.m_pointer == nullptr; }

private:
  T* m_pointer = nullptr;
};

template <class T, access::decorated Decorated = access::decorated::legacy>
using global_ptr = multi_ptr<T, access::address_space::global_space, Decorated>;
template <class T, access::decorated Decorated = access::decorated::legacy>
using local_ptr = multi_ptr<T, access::address_space::local_space, Decorated>;
template <class T, access::decorated Decorated = access::decorated::legacy>
using private_ptr = multi_ptr<T, access::address_space::private_space, Decorated>;
template <class T, access::decorated Decorated = access::decorated::legacy>
using generic_ptr = multi_ptr<T, access::address_space::generic_space, Decorated>;

template <access::address_space Space, access::decorated Decorated, class T>
constexpr multi_ptr<T, Space, Decorated> address_space_cast(T* pointer) noexcept {
  return multi_ptr<T, Space, Decorated>(pointer);
}

} // namespace sycl
