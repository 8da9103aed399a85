#pragma once
/// The function objects for group algorithms and reductions, and their identities (SYCL 2020 4.17.2, 4.9.2.4).

#include <cstddef>
#include <type_traits>

#include "detail/standard.hpp"

namespace sycl::inline _V1 {

namespace detail {
// For vec and marray, these functions work element by element.
#define SINTER_CHOICE(name, takes_second)               \
  template <class T, class U>                           \
  constexpr auto name(const T& a, const U& b) {         \
    if constexpr (requires { takes_second ? b : a; }) { \
      return takes_second ? b : a;                      \
    } else {                                            \
      T result = a;                                     \
      for (std::size_t i = 0; i < T::size(); ++i) {     \
        result[i] = name(a[i], b[i]);                   \
      }                                                 \
      return result;                                    \
    }                                                   \
  }
SINTER_CHOICE(smaller, b < a)
SINTER_CHOICE(larger, a < b)
#undef SINTER_CHOICE
}  // namespace detail

// The specialisations for void are transparent: they take arguments of all types that the operator takes.
#define SINTER_FUNCTION_OBJECT(name, expression, result)                             \
  template <class T = void>                                                          \
  struct name {                                                                      \
    constexpr result operator()(const T& a, const T& b) const { return expression; } \
  };                                                                                 \
  template <>                                                                        \
  struct name<void> {                                                                \
    using is_transparent = int;                                                      \
    template <class T, class U>                                                      \
    constexpr auto operator()(const T& a, const U& b) const {                        \
      return expression;                                                             \
    }                                                                                \
  };
SINTER_FUNCTION_OBJECT(plus, a + b, T)
SINTER_FUNCTION_OBJECT(multiplies, a* b, T)
SINTER_FUNCTION_OBJECT(bit_and, a& b, T)
SINTER_FUNCTION_OBJECT(bit_or, a | b, T)
SINTER_FUNCTION_OBJECT(bit_xor, a ^ b, T)
SINTER_FUNCTION_OBJECT(logical_and, a&& b, T)
SINTER_FUNCTION_OBJECT(logical_or, a || b, T)
SINTER_FUNCTION_OBJECT(minimum, detail::smaller(a, b), T)
SINTER_FUNCTION_OBJECT(maximum, detail::larger(a, b), T)
#undef SINTER_FUNCTION_OBJECT

namespace detail::lone {
class half;
}
using half = detail::lone::half;
template <class T, int Count>
class vec;
template <class T, std::size_t Count>
class marray;

namespace detail {

/// These functions return the largest and the smallest value of a type; for types with infinities, they return the
/// infinities. <limits> is not included, because only these functions would need it.
template <class T>
constexpr T greatest() noexcept {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
    return static_cast<T>(__builtin_huge_valf());
  } else if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(-1) >> 1);
  } else {
    return static_cast<T>(-1);
  }
}
template <class T>
constexpr T least() noexcept {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
    return -greatest<T>();
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(-greatest<T>() - 1);
  } else {
    return T{};
  }
}

/// The identity of an operator, if Sinter knows it. The primary template is for operators without a known identity.
template <class Operation, class T>
struct identity_of {
  static constexpr bool known = false;
};
#define SINTER_IDENTITY(operation, condition, expression)  \
  template <class T>                                       \
    requires((std::is_arithmetic_v<T> || std::is_same_v<T, half>) && (condition))       \
  struct identity_of<operation<>, T> {                     \
    static constexpr bool known = true;                    \
    static constexpr T value = static_cast<T>(expression); \
  };
SINTER_IDENTITY(plus, true, 0)
SINTER_IDENTITY(multiplies, true, 1)
SINTER_IDENTITY(bit_and, std::is_integral_v<T>, ~T{})
SINTER_IDENTITY(bit_or, std::is_integral_v<T>, 0)
SINTER_IDENTITY(bit_xor, std::is_integral_v<T>, 0)
SINTER_IDENTITY(logical_and, (std::is_same_v<T, bool>), true)
SINTER_IDENTITY(logical_or, (std::is_same_v<T, bool>), false)
SINTER_IDENTITY(minimum, true, greatest<T>())
SINTER_IDENTITY(maximum, true, least<T>())
#undef SINTER_IDENTITY
/// An operator with an element type, such as plus<int>, has the identity of the transparent operator.
template <template <class> class Operation, class T>
  requires(!std::is_void_v<T>)
struct identity_of<Operation<T>, T> : identity_of<Operation<void>, T> {};
/// The standard library's function objects have the identities of SYCL's function objects.
#define SINTER_STANDARD_IDENTITY(name) \
  template <class T>                   \
  struct identity_of<std::name<T>, T> : identity_of<name<void>, T> {}; \
  template <class T>                   \
  struct identity_of<std::name<void>, T> : identity_of<name<void>, T> {};
SINTER_STANDARD_IDENTITY(plus)
SINTER_STANDARD_IDENTITY(multiplies)
SINTER_STANDARD_IDENTITY(bit_and)
SINTER_STANDARD_IDENTITY(bit_or)
SINTER_STANDARD_IDENTITY(bit_xor)
SINTER_STANDARD_IDENTITY(logical_and)
SINTER_STANDARD_IDENTITY(logical_or)
#undef SINTER_STANDARD_IDENTITY
/// The identity for a vec or marray has the identity of the element type in each element.
template <class Operation, class T, int Count>
  requires(identity_of<Operation, T>::known)
struct identity_of<Operation, vec<T, Count>> {
  static constexpr bool known = true;
  static constexpr vec<T, Count> value = vec<T, Count>(identity_of<Operation, T>::value);
};
template <class Operation, class T, std::size_t Count>
  requires(identity_of<Operation, T>::known)
struct identity_of<Operation, marray<T, Count>> {
  static constexpr bool known = true;
  static constexpr marray<T, Count> value = marray<T, Count>(identity_of<Operation, T>::value);
};

}  // namespace detail

/// Whether known_identity is defined. It is defined for the function objects above with arithmetic types, vec and
/// marray.
template <class Operation, class T>
struct has_known_identity
    : std::bool_constant<detail::identity_of<std::remove_cv_t<Operation>, std::remove_cv_t<T>>::known> {};
template <class Operation, class T>
inline constexpr bool has_known_identity_v = has_known_identity<Operation, T>::value;

template <class Operation, class T>
  requires has_known_identity_v<Operation, T>
struct known_identity {
  static constexpr std::remove_cv_t<T> value =
      detail::identity_of<std::remove_cv_t<Operation>, std::remove_cv_t<T>>::value;
};
template <class Operation, class T>
  requires has_known_identity_v<Operation, T>
inline constexpr std::remove_cv_t<T> known_identity_v = known_identity<Operation, T>::value;

}  // namespace sycl
