#pragma once
/// Swizzles, which are views of some elements of a vec (SYCL 2020 4.14.2), and the common base class of vec and
/// swizzles.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../bit_cast.hpp"
#include "../half.hpp"
#include "../multi_ptr.hpp"

#ifdef SYCL_SIMPLE_SWIZZLES
#include "simple_swizzles.hpp"
#endif

namespace sycl::inline _V1 {

enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

template <class T, int Count>
class vec;

namespace detail {

/// A vec of three elements is stored like a vec of four.
constexpr int vec_storage(int count) noexcept { return count == 3 ? 4 : count; }

template <rounding_mode Mode>
constexpr float whole_number(float x) noexcept {
  if constexpr (Mode == rounding_mode::rte) return __builtin_rintf(x);
  return Mode == rounding_mode::rtp ? __builtin_ceilf(x) : __builtin_floorf(x);
}
template <rounding_mode Mode>
constexpr double whole_number(double x) noexcept {
  if constexpr (Mode == rounding_mode::rte) return __builtin_rint(x);
  return Mode == rounding_mode::rtp ? __builtin_ceil(x) : __builtin_floor(x);
}

/// Converts `value` to another type. By default, floating-point values round to nearest, also when they become integers
/// (SYCL 2020 4.14.2.2).
template <class To, rounding_mode Mode, class From>
constexpr To convert_element(From value) noexcept {
  constexpr bool from_float = float_type<From>, to_float = float_type<To>;
  // double is used only if the program itself uses it here, because some devices have no double.
  using wide_t = std::conditional_t<std::is_same_v<From, double> || std::is_same_v<To, double>, double, float>;
  if constexpr (Mode == rounding_mode::automatic && from_float && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    return convert_element<To, rounding_mode::rte>(value);
  } else if constexpr (Mode == rounding_mode::automatic || (!from_float && !to_float)) {
    return static_cast<To>(value);
  } else if constexpr (!to_float) {
    if constexpr (Mode == rounding_mode::rtz) return static_cast<To>(value);
    return static_cast<To>(whole_number<Mode>(static_cast<wide_t>(value)));
  } else {
    const To near = static_cast<To>(value);
    if constexpr (Mode == rounding_mode::rte || sizeof(To) > sizeof(From)) return near;
    // If the nearest number lies on the wrong side of `value` for this rounding mode, the neighbouring number on the
    // other side is returned.
    bool above = false, below = false;
    if constexpr (from_float || std::is_same_v<To, half>) {
      // Integers that are too large for half become infinity.
      above = static_cast<wide_t>(near) > static_cast<wide_t>(value);
      below = static_cast<wide_t>(near) < static_cast<wide_t>(value);
    } else {
      // A comparison as floating-point numbers would round both values, so integers are compared, unless the rounded
      // value is outside the range of the integer type.
      constexpr To half_of_end = To(std::uint64_t{1} << (sizeof(From) * 8 - (std::is_signed_v<From> ? 2 : 1)));
      constexpr To end = half_of_end * To(2);
      const From back = near < end ? static_cast<From>(near) : value;
      above = near >= end || back > value;
      below = back < value;
    }
    const bool negative = value < From(0);
    const bool down = above && (Mode == rounding_mode::rtn || (Mode == rounding_mode::rtz && !negative));
    const bool up = below && (Mode == rounding_mode::rtp || (Mode == rounding_mode::rtz && negative));
    using bits = std::conditional_t<sizeof(To) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>>;
    auto result = sycl::bit_cast<bits>(near);
    constexpr bits sign = static_cast<bits>(bits{1} << (sizeof(bits) * 8 - 1));
    if ((up || down) && near == To(0.0f)) return sycl::bit_cast<To>(static_cast<bits>(down ? sign | 1u : 1u));
    if (up || down) result = static_cast<bits>((near < To(0.0f)) == up ? result - 1u : result + 1u);
    return sycl::bit_cast<To>(result);
  }
}

template <class Accessor>
concept memory_accessor = requires(const Accessor& accessor) {
  accessor.get_pointer();
  accessor.get_range();
};

/// Makes a view of one or several elements.
template <int... Indices, class Vector>
constexpr decltype(auto) make_swizzle(Vector& vector) noexcept;

/// The member functions of vec and of swizzles. These functions use only operator[] and swizzle() of the derived class.
/// `Reference` is T& or const T&.
template <class Self, class T, int Count, class Reference = T&>
class vec_members
#ifdef SYCL_SIMPLE_SWIZZLES
    : public simple_swizzles<Self>
#endif
{
public:
  using element_type = T;
  using value_type = T;

  static constexpr std::size_t size() noexcept { return Count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec<T, Count>); }
  /// Deprecated in SYCL 2020.
  static constexpr std::size_t get_count() noexcept { return Count; }
  static constexpr std::size_t get_size() noexcept { return sizeof(vec<T, Count>); }

#define SINTER_VEC_ELEMENT(name, index)    \
  constexpr Reference name() noexcept      \
    requires(Count > index)                \
  {                                        \
    return self()[index];                  \
  }                                        \
  constexpr const T& name() const noexcept \
    requires(Count > index)                \
  {                                        \
    return self()[index];                  \
  }
  SINTER_VEC_ELEMENT(x, 0)
  SINTER_VEC_ELEMENT(y, 1)
  SINTER_VEC_ELEMENT(z, 2)
  SINTER_VEC_ELEMENT(w, 3)
  SINTER_VEC_ELEMENT(r, 0)
  SINTER_VEC_ELEMENT(g, 1)
  SINTER_VEC_ELEMENT(b, 2)
  SINTER_VEC_ELEMENT(a, 3)
  SINTER_VEC_ELEMENT(s0, 0)
  SINTER_VEC_ELEMENT(s1, 1)
  SINTER_VEC_ELEMENT(s2, 2)
  SINTER_VEC_ELEMENT(s3, 3)
  SINTER_VEC_ELEMENT(s4, 4)
  SINTER_VEC_ELEMENT(s5, 5)
  SINTER_VEC_ELEMENT(s6, 6)
  SINTER_VEC_ELEMENT(s7, 7)
  SINTER_VEC_ELEMENT(s8, 8)
  SINTER_VEC_ELEMENT(s9, 9)
  SINTER_VEC_ELEMENT(sA, 10)
  SINTER_VEC_ELEMENT(sB, 11)
  SINTER_VEC_ELEMENT(sC, 12)
  SINTER_VEC_ELEMENT(sD, 13)
  SINTER_VEC_ELEMENT(sE, 14)
  SINTER_VEC_ELEMENT(sF, 15)
#undef SINTER_VEC_ELEMENT

  /// lo and hi return the two halves, even and odd return every second element. In the result for a vec of three
  /// elements, the fourth element is undefined.
  constexpr decltype(auto) lo() noexcept { return strided<0, 1>(self(), half_of()); }
  constexpr decltype(auto) lo() const noexcept { return strided<0, 1>(self(), half_of()); }
  constexpr decltype(auto) hi() noexcept { return strided<vec_storage(Count) / 2, 1>(self(), half_of()); }
  constexpr decltype(auto) hi() const noexcept { return strided<vec_storage(Count) / 2, 1>(self(), half_of()); }
  constexpr decltype(auto) even() noexcept { return strided<0, 2>(self(), half_of()); }
  constexpr decltype(auto) even() const noexcept { return strided<0, 2>(self(), half_of()); }
  constexpr decltype(auto) odd() noexcept { return strided<1, 2>(self(), half_of()); }
  constexpr decltype(auto) odd() const noexcept { return strided<1, 2>(self(), half_of()); }

  /// Converts each element to Other; `Mode` says how to round.
  template <class Other, rounding_mode Mode = rounding_mode::automatic>
  constexpr vec<Other, Count> convert() const noexcept {
    vec<Other, Count> result{};
    for (int i = 0; i < Count; ++i) result[i] = convert_element<Other, Mode>(self()[i]);
    return result;
  }
  /// Returns another vector type with the same bits.
  template <class Other>
  constexpr Other as() const noexcept {
    return sycl::bit_cast<Other>(vec<T, Count>(self()));
  }

  /// Loads `Count` elements of the array, from element offset*Count on. The pointer needs no alignment.
  void load(std::size_t offset, const T* pointer) noexcept {
    for (int i = 0; i < Count; ++i) self()[i] = pointer[offset * Count + static_cast<std::size_t>(i)];
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<const T, Space, Decorated> pointer) noexcept {
    load(offset, pointer.get_raw());
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<T, Space, Decorated> pointer) noexcept {
    load(offset, pointer.get_raw());
  }
  /// These overloads, which DPC++ has, take an accessor of any kind. `offset` counts from the beginning of the
  /// accessor's memory.
  template <memory_accessor Accessor>
  void load(std::size_t offset, const Accessor& accessor) noexcept {
    load(offset, accessor.get_pointer());
  }
  void store(std::size_t offset, T* pointer) const noexcept {
    for (int i = 0; i < Count; ++i) pointer[offset * Count + static_cast<std::size_t>(i)] = self()[i];
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<T, Space, Decorated> pointer) const noexcept {
    store(offset, pointer.get_raw());
  }
  template <memory_accessor Accessor>
  void store(std::size_t offset, const Accessor& accessor) const noexcept {
    store(offset, accessor.get_pointer());
  }

private:
  friend Self;
  constexpr vec_members() noexcept = default;
  using half_of = std::make_integer_sequence<int, vec_storage(Count) / 2>;
  constexpr Self& self() noexcept { return static_cast<Self&>(*this); }
  constexpr const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  template <int First, int Step, class Vector, int... Indices>
  static constexpr decltype(auto) strided(Vector& vector, std::integer_sequence<int, Indices...>) noexcept {
    return vector.template swizzle<(First + Step * Indices)...>();
  }
};

/// The operators for which an assignment operator exists, such as += for +.
#define SINTER_ARITHMETIC_OPERATORS(apply) \
  apply(+) apply(-) apply(*) apply(/) apply(%) apply(&) apply(|) apply(^) apply(<<) apply(>>)

/// A view of two or more elements of a vec. The view converts to the vec type Result wherever a vec is expected. Result
/// is a template argument, so that argument-dependent lookup finds the operators of vec.
template <class Vector, class Result, int... Indices>
class swizzled : public vec_members<swizzled<Vector, Result, Indices...>, typename Result::value_type, Result::size(),
                                    decltype(std::declval<Vector&>()[0])> {
  using value = typename Result::value_type;
  using reference = decltype(std::declval<Vector&>()[0]);
  static_assert(sizeof(Result) > 0, "completes Result, for ADL");

public:
  constexpr explicit swizzled(Vector& vector) noexcept : m_vector(vector) {}
  swizzled(const swizzled&) = default;

  constexpr reference operator[](int i) const noexcept { return m_vector[m_indices[i]]; }
  template <int... Inner>
  constexpr decltype(auto) swizzle() const noexcept {
    return make_swizzle<m_indices[Inner]...>(m_vector);
  }

  /// Takes the argument by value, because the argument may refer to the vec of this view.
  constexpr const swizzled& operator=(Result value) const noexcept {
    for (int i = 0; i < int(sizeof...(Indices)); ++i) (*this)[i] = value[i];
    return *this;
  }
  constexpr const swizzled& operator=(const swizzled& other) const noexcept { return *this = Result(other); }
  constexpr const swizzled& operator=(const value& scalar) const noexcept { return *this = Result(scalar); }

#define SINTER_SWIZZLE_ASSIGN(op)                                                                                   \
  constexpr const swizzled& operator op##=(const Result& b) const noexcept { return *this = Result(*this) op b; } \
  constexpr const swizzled& operator op##=(const value& b) const noexcept { return *this = Result(*this) op b; }
  SINTER_ARITHMETIC_OPERATORS(SINTER_SWIZZLE_ASSIGN)
#undef SINTER_SWIZZLE_ASSIGN
  constexpr const swizzled& operator++() const noexcept { return *this += value(1); }
  constexpr const swizzled& operator--() const noexcept { return *this -= value(1); }
  constexpr Result operator++(int) const noexcept {
    const Result old(*this);
    *this += value(1);
    return old;
  }
  constexpr Result operator--(int) const noexcept {
    const Result old(*this);
    *this -= value(1);
    return old;
  }

private:
  static constexpr int m_indices[sizeof...(Indices)] = {Indices...};
  Vector& m_vector;
};

struct no_operators {};
/// The operators of a swizzle of a one-element vec. Without these operators, an operation with the element's type or
/// the vec would be ambiguous.
template <class Element, class Result>
struct whole_vec_operators {
  using value = typename Result::value_type;
#define SINTER_SWIZZLE_BINARY(op)                                                                                   \
  friend constexpr auto operator op(const Element& a, const Element& b) noexcept { return Result(a) op Result(b); } \
  friend constexpr auto operator op(const Element& a, const Result& b) noexcept { return Result(a) op b; }          \
  friend constexpr auto operator op(const Result& a, const Element& b) noexcept { return a op Result(b); }          \
  friend constexpr auto operator op(const Element& a, const value& b) noexcept { return Result(a) op b; }           \
  friend constexpr auto operator op(const value& a, const Element& b) noexcept { return a op Result(b); }
#define SINTER_SWIZZLE_ARITHMETIC(op) \
  SINTER_SWIZZLE_BINARY(op)           \
  friend constexpr Result& operator op##=(Result& a, const Element& b) noexcept { return a = a op Result(b); }
  SINTER_ARITHMETIC_OPERATORS(SINTER_SWIZZLE_ARITHMETIC)
#undef SINTER_SWIZZLE_ARITHMETIC
  SINTER_SWIZZLE_BINARY(==)
  SINTER_SWIZZLE_BINARY(!=)
  SINTER_SWIZZLE_BINARY(<)
  SINTER_SWIZZLE_BINARY(>)
  SINTER_SWIZZLE_BINARY(<=)
  SINTER_SWIZZLE_BINARY(>=)
  SINTER_SWIZZLE_BINARY(&&)
  SINTER_SWIZZLE_BINARY(||)
#undef SINTER_SWIZZLE_BINARY
#define SINTER_SWIZZLE_UNARY(op) \
  friend constexpr auto operator op(const Element& a) noexcept { return op Result(a); }
  SINTER_SWIZZLE_UNARY(+)
  SINTER_SWIZZLE_UNARY(-)
  SINTER_SWIZZLE_UNARY(~)
  SINTER_SWIZZLE_UNARY(!)
#undef SINTER_SWIZZLE_UNARY
};

/// A view of one element of a vec. The view converts to the element, so that the built-in operators work. vec<T, 1> has
/// a constructor that takes the view.
template <class Vector, int Index>
class swizzled_element
    : public vec_members<swizzled_element<Vector, Index>, typename Vector::value_type, 1,
                         decltype(std::declval<Vector&>()[0])>,
      public std::conditional_t<
          Vector::size() == 1,
          whole_vec_operators<swizzled_element<Vector, Index>, vec<typename Vector::value_type, 1>>, no_operators> {
  using value = typename Vector::value_type;
  using reference = decltype(std::declval<Vector&>()[0]);

public:
  constexpr explicit swizzled_element(Vector& vector) noexcept : m_vector(vector) {}
  swizzled_element(const swizzled_element&) = default;

  constexpr operator value() const noexcept { return m_vector[Index]; }
  constexpr reference operator[](int) const noexcept { return m_vector[Index]; }
  template <int... Inner>
  constexpr decltype(auto) swizzle() const noexcept {
    static_assert(((Inner == 0) && ...), "the swizzle has no such element");
    return make_swizzle<(Inner + Index)...>(m_vector);
  }

  constexpr const swizzled_element& operator=(const value& other) const noexcept {
    m_vector[Index] = other;
    return *this;
  }
  constexpr const swizzled_element& operator=(const swizzled_element& other) const noexcept {
    return *this = static_cast<value>(other);
  }

#define SINTER_SWIZZLE_ASSIGN(op)                                                     \
  constexpr const swizzled_element& operator op##=(const value& b) const noexcept { \
    return *this = static_cast<value>(m_vector[Index] op b);                          \
  }
  SINTER_ARITHMETIC_OPERATORS(SINTER_SWIZZLE_ASSIGN)
#undef SINTER_SWIZZLE_ASSIGN
  constexpr const swizzled_element& operator++() const noexcept { return *this += value(1); }
  constexpr const swizzled_element& operator--() const noexcept { return *this -= value(1); }
  constexpr value operator++(int) const noexcept {
    const value old = m_vector[Index];
    *this += value(1);
    return old;
  }
  constexpr value operator--(int) const noexcept {
    const value old = m_vector[Index];
    *this -= value(1);
    return old;
  }

private:
  Vector& m_vector;
};

#undef SINTER_ARITHMETIC_OPERATORS

template <int... Indices, class Vector>
constexpr decltype(auto) make_swizzle(Vector& vector) noexcept {
  if constexpr (sizeof...(Indices) == 1) {
    return swizzled_element<Vector, (Indices, ...)>(vector);
  } else {
    return swizzled<Vector, vec<typename Vector::value_type, int(sizeof...(Indices))>, Indices...>(vector);
  }
}

}  // namespace detail

}  // namespace sycl
