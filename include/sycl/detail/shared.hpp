#pragma once
/// Shared ownership: a std::shared_ptr without <memory>. libstdc++'s <memory> includes the streams and would double the
/// time that each of the user's files needs to compile these headers.

#include <cstddef>
#include <type_traits>

#include "export.hpp"

namespace sycl::inline _V1::detail {

/// A base class of objects that several handles own jointly.
class SINTER_EXPORT counted {
public:
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  virtual ~counted();

private:
  friend SINTER_EXPORT counted* retain(counted* object) noexcept;
  friend SINTER_EXPORT void release(counted* object) noexcept;
  std::size_t m_owners = 0;
};

// These functions are not inline: in each of the user's files, the compiler would have to compile hundreds of inlined
// copies. Both functions accept a null pointer.
SINTER_EXPORT counted* retain(counted* object) noexcept;
SINTER_EXPORT void release(counted* object) noexcept;

/// Owns a T, which has to derive from counted. T may be incomplete in code that only copies and compares handles.
template <class T>
class shared {
public:
  constexpr shared() noexcept = default;
  constexpr shared(decltype(nullptr)) noexcept {}
  /// `object` must have been created by `new`.
  explicit shared(T* object) noexcept : m_object(retain(object)) {}
  shared(const shared& other) noexcept : m_object(retain(other.m_object)) {}
  shared(shared&& other) noexcept : m_object(other.m_object) { other.m_object = nullptr; }
  template <class Derived>
    requires(std::is_base_of_v<T, Derived>)
  shared(const shared<Derived>& other) noexcept : shared(other.get()) {}
  template <class Derived>
    requires(std::is_base_of_v<T, Derived>)
  shared(shared<Derived>&& other) noexcept : m_object(other.m_object) {
    other.m_object = nullptr;
  }
  shared& operator=(shared other) noexcept {
    counted* mine = m_object;
    m_object = other.m_object;
    other.m_object = mine;
    return *this;
  }
  ~shared() {
    if (m_object) release(m_object);
  }

  void reset() noexcept { *this = shared(); }
  T* get() const noexcept { return static_cast<T*>(m_object); }
  T& operator*() const noexcept { return *get(); }
  T* operator->() const noexcept { return get(); }
  explicit operator bool() const noexcept { return m_object != nullptr; }
  /// Returns the object's address for comparisons. T may be incomplete.
  const void* address() const noexcept { return m_object; }
  friend bool operator==(const shared& a, const shared& b) noexcept { return a.m_object == b.m_object; }

private:
  template <class Other>
  friend class shared;
  counted* m_object = nullptr;
};

template <class T, class... Arguments>
shared<T> make_counted(Arguments&&... arguments) {
  return shared<T>(new T(static_cast<Arguments&&>(arguments)...));
}

/// Holds a value of any type, so that several handles can own it jointly.
template <class T>
struct holder : counted {
  template <class... Arguments>
  explicit holder(Arguments&&... arguments) : value(static_cast<Arguments&&>(arguments)...) {}
  T value;
};

/// True for std::shared_ptr and similar types: they own the object that get() points to.
template <class Pointer>
concept shared_pointer = requires(const Pointer& pointer) {
  typename Pointer::element_type;
  pointer.get();
  pointer.use_count();
};

} // namespace sycl::detail
