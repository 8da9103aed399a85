#pragma once
/// sycl_ext_oneapi_complex: complex numbers of half, float and double, on host and device. The functions compute like
/// std::complex of float or double.

#include <complex>
#include <iosfwd>
#include <type_traits>

#include "../../../../detail/export.hpp"
#include "../../../../half.hpp"

#ifndef SYCL_EXT_ONEAPI_COMPLEX
#define SYCL_EXT_ONEAPI_COMPLEX 1
#endif

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class T>
  requires(detail::float_type<T>)
class complex {
  using wide = std::conditional_t<std::is_same_v<T, half>, float, T>;

public:
  using value_type = T;

  constexpr complex(T real = T(), T imaginary = T()) : m_real(real), m_imaginary(imaginary) {}
  template <class Other>
  constexpr complex(const complex<Other>& other)
      : m_real(static_cast<T>(other.real())), m_imaginary(static_cast<T>(other.imag())) {}
  template <class Other>
  constexpr complex(const std::complex<Other>& other)
      : m_real(static_cast<T>(other.real())), m_imaginary(static_cast<T>(other.imag())) {}
  /// Converts complex<half> to std::complex<float>, because there is no std::complex<half>.
  constexpr operator std::complex<wide>() const { return {static_cast<wide>(m_real), static_cast<wide>(m_imaginary)}; }

  constexpr T real() const { return m_real; }
  constexpr void real(T value) { m_real = value; }
  constexpr T imag() const { return m_imaginary; }
  constexpr void imag(T value) { m_imaginary = value; }

  constexpr complex& operator=(T value) {
    m_real = value, m_imaginary = T();
    return *this;
  }
#define SINTER_COMPLEX_OPERATOR(op)                                                                            \
  SINTER_DEVICE_INLINE friend complex operator op(const complex& a, const complex& b) {                        \
    return std::complex<wide>(a) op std::complex<wide>(b);                                                     \
  }                                                                                                            \
  SINTER_DEVICE_INLINE friend complex operator op(const complex& a, const T& b) {                              \
    return std::complex<wide>(a) op static_cast<wide>(b);                                                      \
  }                                                                                                            \
  SINTER_DEVICE_INLINE friend complex operator op(const T& a, const complex& b) {                              \
    return static_cast<wide>(a) op std::complex<wide>(b);                                                      \
  }                                                                                                            \
  template <class Other>                                                                                       \
  SINTER_DEVICE_INLINE friend complex& operator op##=(complex& a, const complex<Other>& b) {                   \
    return a = a op complex(b);                                                                                \
  }                                                                                                            \
  SINTER_DEVICE_INLINE friend complex& operator op##=(complex& a, const T& b) { return a = a op b; }
  SINTER_COMPLEX_OPERATOR(+)
  SINTER_COMPLEX_OPERATOR(-)
  SINTER_COMPLEX_OPERATOR(*)
  SINTER_COMPLEX_OPERATOR(/)
#undef SINTER_COMPLEX_OPERATOR
  friend constexpr complex operator+(const complex& a) { return a; }
  friend constexpr complex operator-(const complex& a) { return complex(-a.m_real, -a.m_imaginary); }
  friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.m_real == b.m_real && a.m_imaginary == b.m_imaginary;
  }
  friend constexpr bool operator==(const complex& a, const T& b) { return a == complex(b); }

  template <class Character, class Traits>
  friend std::basic_ostream<Character, Traits>& operator<<(std::basic_ostream<Character, Traits>& out,
                                                           const complex& value) {
    return out << std::complex<wide>(value);
  }
  template <class Character, class Traits>
  friend std::basic_istream<Character, Traits>& operator>>(std::basic_istream<Character, Traits>& in, complex& value) {
    std::complex<wide> read;
    if (in >> read) value = read;
    return in;
  }

  // These friend functions are found by argument-dependent lookup.
#define SINTER_COMPLEX_FUNCTION(name)                                                                                  \
  SINTER_DEVICE_INLINE friend complex name(const complex& x) { return complex(std::name(std::complex<wide>(x))); }
  SINTER_COMPLEX_FUNCTION(proj)
  SINTER_COMPLEX_FUNCTION(exp)
  SINTER_COMPLEX_FUNCTION(log)
  SINTER_COMPLEX_FUNCTION(log10)
  SINTER_COMPLEX_FUNCTION(sqrt)
  SINTER_COMPLEX_FUNCTION(sin)
  SINTER_COMPLEX_FUNCTION(cos)
  SINTER_COMPLEX_FUNCTION(tan)
  SINTER_COMPLEX_FUNCTION(sinh)
  SINTER_COMPLEX_FUNCTION(cosh)
  SINTER_COMPLEX_FUNCTION(tanh)
  SINTER_COMPLEX_FUNCTION(asin)
  SINTER_COMPLEX_FUNCTION(acos)
  SINTER_COMPLEX_FUNCTION(atan)
  SINTER_COMPLEX_FUNCTION(asinh)
  SINTER_COMPLEX_FUNCTION(acosh)
  SINTER_COMPLEX_FUNCTION(atanh)
#undef SINTER_COMPLEX_FUNCTION
  friend constexpr complex conj(const complex& x) { return complex(x.m_real, -x.m_imaginary); }
  friend constexpr T real(const complex& x) { return x.m_real; }
  friend constexpr T imag(const complex& x) { return x.m_imaginary; }
  SINTER_DEVICE_INLINE friend T abs(const complex& x) { return static_cast<T>(std::abs(std::complex<wide>(x))); }
  SINTER_DEVICE_INLINE friend T arg(const complex& x) { return static_cast<T>(std::arg(std::complex<wide>(x))); }
  SINTER_DEVICE_INLINE friend T norm(const complex& x) { return static_cast<T>(std::norm(std::complex<wide>(x))); }
  SINTER_DEVICE_INLINE friend complex pow(const complex& x, const complex& y) {
    return complex(std::pow(std::complex<wide>(x), std::complex<wide>(y)));
  }
  SINTER_DEVICE_INLINE friend complex pow(const complex& x, const T& y) {
    return complex(std::pow(std::complex<wide>(x), static_cast<wide>(y)));
  }
  SINTER_DEVICE_INLINE friend complex pow(const T& x, const complex& y) {
    return complex(std::pow(static_cast<wide>(x), std::complex<wide>(y)));
  }

private:
  T m_real, m_imaginary;
};

template <class T>
SINTER_DEVICE_INLINE complex<T> polar(const T& length, const T& angle = T()) {
  using wide = std::conditional_t<std::is_same_v<T, half>, float, T>;
  return complex<T>(std::polar(static_cast<wide>(length), static_cast<wide>(angle)));
}

template <class T>
struct is_gencomplex : std::false_type {};
template <class T>
struct is_gencomplex<complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_gencomplex_v = is_gencomplex<T>::value;

}  // namespace sycl::ext::oneapi::experimental
