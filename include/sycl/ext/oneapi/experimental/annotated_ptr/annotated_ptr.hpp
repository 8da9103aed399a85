#pragma once
/// sycl_ext_oneapi_annotated_ptr: a pointer with properties, which are promises to the compiler. Sinter ignores these
/// properties.

#include <cstddef>
#include <type_traits>

#include "../../properties/properties.hpp"
#include "../common_annotated_properties/properties.hpp"

#define SYCL_EXT_ONEAPI_ANNOTATED_PTR 1

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class T, class Properties = empty_properties_t>
class annotated_ptr {
  static_assert(is_property_list_v<Properties>, "an annotated_ptr takes a list of properties");

public:
  using reference = T&;

  constexpr annotated_ptr() noexcept = default;
  constexpr explicit annotated_ptr(T* pointer, const Properties& = {}) noexcept : m_pointer(pointer) {}
  template <class... Each>
    requires(sizeof...(Each) > 0 && (is_property_value_v<Each> && ...))
  constexpr explicit annotated_ptr(T* pointer, const Each&...) noexcept : m_pointer(pointer) {}
  /// Converts from a pointer whose properties are all in the new pointer's list.
  template <class Other>
  constexpr explicit annotated_ptr(const annotated_ptr<T, Other>& other, const Properties& = {}) noexcept
      : m_pointer(other.get()) {}

  constexpr T& operator*() const noexcept { return *m_pointer; }
  constexpr T* operator->() const noexcept { return m_pointer; }
  constexpr T& operator[](std::ptrdiff_t index) const noexcept { return m_pointer[index]; }
  constexpr T* operator+(std::ptrdiff_t distance) const noexcept { return m_pointer + distance; }
  constexpr std::ptrdiff_t operator-(const annotated_ptr& other) const noexcept { return m_pointer - other.m_pointer; }
  constexpr explicit operator bool() const noexcept { return m_pointer != nullptr; }
  constexpr explicit operator T*() const noexcept { return m_pointer; }
  constexpr T* get() const noexcept { return m_pointer; }

  constexpr annotated_ptr& operator=(T* pointer) noexcept {
    m_pointer = pointer;
    return *this;
  }
  constexpr annotated_ptr& operator++() noexcept {
    ++m_pointer;
    return *this;
  }
  constexpr annotated_ptr operator++(int) noexcept { return annotated_ptr(m_pointer++); }
  constexpr annotated_ptr& operator--() noexcept {
    --m_pointer;
    return *this;
  }
  constexpr annotated_ptr operator--(int) noexcept { return annotated_ptr(m_pointer--); }

  template <class Key>
  static constexpr bool has_property() noexcept {
    return Properties::template has_property<Key>();
  }
  template <class Key>
  static constexpr auto get_property() noexcept {
    return Properties::template get_property<Key>();
  }

private:
  T* m_pointer = nullptr;
};

template <class T>
annotated_ptr(T*) -> annotated_ptr<T>;
template <class T, class... Each>
  requires((is_property_value_v<Each> && ...) && sizeof...(Each) > 0)
annotated_ptr(T*, Each...) -> annotated_ptr<T, properties<Each...>>;
template <class T, class... Each>
annotated_ptr(T*, properties<Each...>) -> annotated_ptr<T, properties<Each...>>;

}  // namespace sycl::ext::oneapi::experimental
