#pragma once
/// The common base of id and range: a small array of sizes with element-wise arithmetic (SYCL 2020 4.9.1.1 and
/// 4.9.1.3).

#include <cstddef>
#include <type_traits>

namespace sycl::inline _V1::detail {

template <class Derived, int Dimensions>
class coordinates {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL index spaces have 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  constexpr std::size_t get(int dimension) const noexcept { return m_values[dimension]; }
  constexpr std::size_t& operator[](int dimension) noexcept { return m_values[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return m_values[dimension]; }

  friend constexpr bool operator==(const Derived& a, const Derived& b) noexcept {
    for (int i = 0; i < Dimensions; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const Derived& a, const Derived& b) noexcept { return !(a == b); }
  // Without these overloads for integers, `id == 0` would be ambiguous: the compiler could convert 0 to an id, or the
  // id to size_t.
  template <class Integer>
    requires(std::is_integral_v<Integer> && Dimensions == 1)
  friend constexpr bool operator==(const Derived& a, Integer b) noexcept {
    return a[0] == static_cast<std::size_t>(b);
  }

#define SINTER_COORDINATE_OPERATOR(op)                                                              \
  friend constexpr Derived operator op(const Derived& a, const Derived& b) noexcept {               \
    Derived result{};                                                                               \
    for (int i = 0; i < Dimensions; ++i) result[i] = static_cast<std::size_t>(a[i] op b[i]);        \
    return result;                                                                                  \
  }                                                                                                 \
  template <class Integer>                                                                          \
    requires std::is_integral_v<Integer>                                                            \
  friend constexpr Derived operator op(const Derived& a, Integer b) noexcept {                      \
    Derived result{};                                                                               \
    for (int i = 0; i < Dimensions; ++i) result[i] = static_cast<std::size_t>(a[i] op static_cast<std::size_t>(b)); \
    return result;                                                                                  \
  }                                                                                                 \
  template <class Integer>                                                                          \
    requires std::is_integral_v<Integer>                                                            \
  friend constexpr Derived operator op(Integer a, const Derived& b) noexcept {                      \
    Derived result{};                                                                               \
    for (int i = 0; i < Dimensions; ++i) result[i] = static_cast<std::size_t>(static_cast<std::size_t>(a) op b[i]); \
    return result;                                                                                  \
  }
#define SINTER_COORDINATE_ASSIGNMENT(op)                                                            \
  SINTER_COORDINATE_OPERATOR(op)                                                                    \
  friend constexpr Derived& operator op##=(Derived& a, const Derived& b) noexcept { return a = a op b; } \
  template <class Integer>                                                                          \
    requires std::is_integral_v<Integer>                                                            \
  friend constexpr Derived& operator op##=(Derived& a, Integer b) noexcept { return a = a op b; }

  SINTER_COORDINATE_ASSIGNMENT(+)
  SINTER_COORDINATE_ASSIGNMENT(-)
  SINTER_COORDINATE_ASSIGNMENT(*)
  SINTER_COORDINATE_ASSIGNMENT(/)
  SINTER_COORDINATE_ASSIGNMENT(%)
  SINTER_COORDINATE_ASSIGNMENT(<<)
  SINTER_COORDINATE_ASSIGNMENT(>>)
  SINTER_COORDINATE_ASSIGNMENT(&)
  SINTER_COORDINATE_ASSIGNMENT(|)
  SINTER_COORDINATE_ASSIGNMENT(^)
  SINTER_COORDINATE_OPERATOR(&&)
  SINTER_COORDINATE_OPERATOR(||)
  SINTER_COORDINATE_OPERATOR(<)
  SINTER_COORDINATE_OPERATOR(>)
  SINTER_COORDINATE_OPERATOR(<=)
  SINTER_COORDINATE_OPERATOR(>=)
#undef SINTER_COORDINATE_ASSIGNMENT
#undef SINTER_COORDINATE_OPERATOR

  friend constexpr Derived operator+(const Derived& a) noexcept { return a; }
  friend constexpr Derived operator-(const Derived& a) noexcept { return std::size_t{0} - a; }
  friend constexpr Derived& operator++(Derived& a) noexcept { return a += 1; }
  friend constexpr Derived& operator--(Derived& a) noexcept { return a -= 1; }
  friend constexpr Derived operator++(Derived& a, int) noexcept {
    Derived old = a;
    a += 1;
    return old;
  }
  friend constexpr Derived operator--(Derived& a, int) noexcept {
    Derived old = a;
    a -= 1;
    return old;
  }

protected:
  template <class D, int N>
  friend constexpr const std::size_t* extents_of(const coordinates<D, N>& sizes) noexcept;
  constexpr coordinates() noexcept = default;
  template <class... Sizes>
  constexpr explicit coordinates(std::size_t first, Sizes... rest) noexcept
      : m_values{first, static_cast<std::size_t>(rest)...} {}

  std::size_t m_values[Dimensions]{};
};

/// Returns the sizes as an array of `Dimensions` elements.
template <class Derived, int Dimensions>
constexpr const std::size_t* extents_of(const coordinates<Derived, Dimensions>& sizes) noexcept {
  return sizes.m_values;
}

} // namespace sycl::detail
