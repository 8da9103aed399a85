#pragma once
/// The value of a reduction and how to combine two values, with and without an identity.

#include <type_traits>

#include "../functional.hpp"
#include "../is_device_copyable.hpp"
#include "group_slots.hpp"

namespace sycl::inline _V1 {

namespace detail {
enum class identity_kind { none, known, given };
template <class T, class Operation, int Dimensions, identity_kind Identity, std::size_t Extent, class Target = T*>
class reduction_object;
}  // namespace detail

template <class T, class BinaryOperation, int Dimensions = 0,
          detail::identity_kind Identity = detail::identity_kind::none, std::size_t Extent = 1>
class reducer;

}  // namespace sycl

namespace sycl::inline _V1::detail {

/// Copies the object byte by byte. While the value is missing, there is no object that a copy constructor of the
/// value's type (such as std::pair's) could copy.
#define SINTER_COPIED_AS_BYTES(type)                                    \
  type(const type&) noexcept = default;                                 \
  type& operator=(const type&) noexcept = default;                      \
  SINTER_DEVICE_INLINE type(const type& other) noexcept                 \
    requires(!std::is_trivially_copyable_v<T>)                          \
  {                                                                     \
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(type));   \
  }                                                                     \
  SINTER_DEVICE_INLINE type& operator=(const type& other) noexcept      \
    requires(!std::is_trivially_copyable_v<T>)                          \
  {                                                                     \
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(type));   \
    return *this;                                                       \
  }

/// A value that is missing until the first element is combined into it. T need not have a default constructor.
template <class T>
struct optional_value {
  SINTER_DEVICE_INLINE optional_value() noexcept : none(0), full(false) {}
  SINTER_DEVICE_INLINE explicit optional_value(const T& its_value) : value(its_value), full(true) {}
  SINTER_COPIED_AS_BYTES(optional_value)
  union {
    char none;
    T value;
  };
  bool full;
};

/// A value for operations that have an identity. Code assigns the identity first, so the value is never missing.
template <class T>
struct certain_value {
  SINTER_DEVICE_INLINE certain_value() noexcept : none(0) {}
  SINTER_DEVICE_INLINE explicit certain_value(const T& its_value) : value(its_value) {}
  SINTER_COPIED_AS_BYTES(certain_value)
  union {
    char none;  // `none` is the active member until a value is assigned
    T value;
  };
};

#undef SINTER_COPIED_AS_BYTES

}  // namespace sycl::detail

template <class T>
struct sycl::is_device_copyable<sycl::detail::optional_value<T>> : sycl::is_device_copyable<T> {};
template <class T>
struct sycl::is_device_copyable<sycl::detail::certain_value<T>> : sycl::is_device_copyable<T> {};

namespace sycl::inline _V1::detail {

template <class T, identity_kind Identity>
using partial_of = std::conditional_t<Identity == identity_kind::none, optional_value<T>, certain_value<T>>;

/// Stores the identity if the program has passed an identity.
template <class T, identity_kind Identity>
struct identity_store {};
template <class T>
struct identity_store<T, identity_kind::given> {
  T value;
};

template <class T, class Operation, identity_kind Identity>
class combination {
  static_assert(is_device_copyable_v<T>, "reductions combine device-copyable values");
  using partial = partial_of<T, Identity>;

public:
  // Not explicit, because reduction() passes its arguments in a brace list.
  combination(const Operation& operation) : m_operation(operation) {}
  combination(const Operation& operation, const T& identity) : m_operation(operation), m_identity{identity} {}

  SINTER_DEVICE_INLINE T identity() const {
    if constexpr (Identity == identity_kind::known) {
      return known_identity_v<Operation, T>;
    } else {
      return m_identity.value;
    }
  }
  SINTER_DEVICE_INLINE partial empty() const {
    if constexpr (Identity == identity_kind::none) {
      return partial();
    } else {
      return partial(identity());
    }
  }
  SINTER_DEVICE_INLINE void add(partial& sum, const T& value) const {
    if constexpr (Identity == identity_kind::none) {
      sum = partial(sum.full ? static_cast<T>(m_operation(sum.value, value)) : value);
    } else {
      sum.value = static_cast<T>(m_operation(sum.value, value));
    }
  }
  /// Returns a function object that combines two partial results.
  SINTER_DEVICE_INLINE auto merger() const {
    return [this](const partial& left, const partial& right) {
      partial result = left;
      if constexpr (Identity == identity_kind::none) {
        if (!right.full) return result;
      }
      add(result, right.value);
      return result;
    };
  }
  SINTER_DEVICE_INLINE void write(T& target, const partial& sum, bool initialize) const {
    if constexpr (Identity == identity_kind::none) {
      if (sum.full) target = static_cast<T>(m_operation(target, sum.value));
    } else {
      target = initialize ? sum.value : static_cast<T>(m_operation(target, sum.value));
    }
  }

private:
  Operation m_operation;
  [[no_unique_address]] identity_store<T, Identity> m_identity;
};

}  // namespace sycl::detail
