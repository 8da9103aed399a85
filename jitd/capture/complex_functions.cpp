/// Functions of complex numbers that std::complex calls (C99, section 7.3 and annex G), for device code. These
/// functions are compiled to bitcode, because no vendor's device library has such functions. The plugin links those
/// that a device module calls (device_library.hpp). Arguments and results have the types float _Complex and double
/// _Complex of the platform. Functions that take a long double are here, too, because each machine has its own long
/// double.

namespace {

template <class T>
struct number {
  T re, im;
};

template <class T>
struct limits;
template <>
struct limits<float> {
  using bits = unsigned int;
  static constexpr int mantissa = 23, bias = 127, most_scaled = 126;
  static constexpr float most = __FLT_MAX__, least = __FLT_MIN__;
  static constexpr float end_of_exp = 88.0f, tanh_is_one = 12.0f;
};
template <>
struct limits<double> {
  using bits = unsigned long;
  static constexpr int mantissa = 52, bias = 1023, most_scaled = 1022;
  static constexpr double most = __DBL_MAX__, least = __DBL_MIN__;
  static constexpr double end_of_exp = 709.0, tanh_is_one = 22.0;
};

#define REAL_1(name)                                             \
  inline float name(float x) { return __builtin_##name##f(x); }  \
  inline double name(double x) { return __builtin_##name(x); }
#define REAL_2(name)                                                         \
  inline float name(float x, float y) { return __builtin_##name##f(x, y); }  \
  inline double name(double x, double y) { return __builtin_##name(x, y); }
REAL_1(asinh)
REAL_1(cos)
REAL_1(cosh)
REAL_1(exp)
REAL_1(fabs)
REAL_1(log)
REAL_1(log1p)
REAL_1(sin)
REAL_1(sinh)
REAL_1(sqrt)
REAL_1(tan)
REAL_2(atan2)
REAL_2(copysign)
REAL_2(fmax)
REAL_2(fmin)
REAL_2(hypot)

template <class T>
constexpr T infinity = T(__builtin_inff());
template <class T>
constexpr T no_number = T(__builtin_nanf(""));

template <class T>
constexpr T log_2 = T(0.693147180559945309417);

template <class T>
bool is_nan(T x) {
  return __builtin_isnan(x);
}
template <class T>
bool is_infinite(T x) {
  return __builtin_isinf(x);
}
template <class T>
bool is_finite(T x) {
  return __builtin_isfinite(x);
}
/// 1 for an infinity and 0 for other numbers, with the number's sign.
template <class T>
T infinite_part(T x) {
  return copysign(T(is_infinite(x) ? 1 : 0), x);
}
template <class T>
T zero_for_nan(T x) {
  return is_nan(x) ? copysign(T(0), x) : x;
}

/// A power of two. A finite number that is multiplied by this power of two comes near to 1.
template <class T>
T scale_of(T x) {
  using bits = typename limits<T>::bits;
  int exponent = static_cast<int>(__builtin_bit_cast(bits, fabs(x)) >> limits<T>::mantissa) - limits<T>::bias;
  if (exponent > limits<T>::most_scaled) exponent = limits<T>::most_scaled;
  if (exponent < -limits<T>::most_scaled) exponent = -limits<T>::most_scaled;
  return __builtin_bit_cast(T, static_cast<bits>(limits<T>::bias - exponent) << limits<T>::mantissa);
}

// ------------------------------------------------------------------------------------------- products

/// If one part of a factor is infinite, the product is infinite, too, even if the factor's other part is a NaN (annex
/// G.5.1).
template <class T>
number<T> product(T a, T b, T c, T d) {
  const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  number<T> result{ac - bd, ad + bc};
  if (!is_nan(result.re) || !is_nan(result.im)) return result;
  bool is_one = false;
  if (is_infinite(a) || is_infinite(b)) {
    a = infinite_part(a), b = infinite_part(b), c = zero_for_nan(c), d = zero_for_nan(d);
    is_one = true;
  }
  if (is_infinite(c) || is_infinite(d)) {
    c = infinite_part(c), d = infinite_part(d), a = zero_for_nan(a), b = zero_for_nan(b);
    is_one = true;
  }
  if (!is_one && (is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc))) {
    a = zero_for_nan(a), b = zero_for_nan(b), c = zero_for_nan(c), d = zero_for_nan(d);
    is_one = true;
  }
  if (is_one) result = {infinity<T> * (a * c - b * d), infinity<T> * (a * d + b * c)};
  return result;
}

template <class T>
number<T> quotient(T a, T b, T c, T d) {
  const T larger = fmax(fabs(c), fabs(d));
  const T scale = is_finite(larger) && larger != 0 ? scale_of(larger) : T(1);
  const T scaled_c = c * scale, scaled_d = d * scale;
  const T norm = scaled_c * scaled_c + scaled_d * scaled_d;
  number<T> result{(a * scaled_c + b * scaled_d) / norm * scale, (b * scaled_c - a * scaled_d) / norm * scale};
  if (!is_nan(result.re) || !is_nan(result.im)) return result;
  if (norm == 0 && (!is_nan(a) || !is_nan(b))) {
    result = {copysign(infinity<T>, c) * a, copysign(infinity<T>, c) * b};
  } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
    a = infinite_part(a), b = infinite_part(b);
    result = {infinity<T> * (a * c + b * d), infinity<T> * (b * c - a * d)};
  } else if ((is_infinite(c) || is_infinite(d)) && is_finite(a) && is_finite(b)) {
    c = infinite_part(c), d = infinite_part(d);
    result = {T(0) * (a * c + b * d), T(0) * (b * c - a * d)};
  }
  return result;
}

// ------------------------------------------------------------------------------------------- exponentials

template <class T>
number<T> exponential(number<T> z) {
  if (z.im == 0) return {exp(z.re), z.im};
  if (!is_finite(z.im)) {
    if (is_infinite(z.re)) return z.re < 0 ? number<T>{0, copysign(T(0), z.im)} : number<T>{z.re, no_number<T>};
    return {no_number<T>, no_number<T>};
  }
  const T sine = sin(z.im), cosine = cos(z.im);
  if (z.re > limits<T>::end_of_exp && is_finite(z.re)) {
    const T root = exp(z.re / 2);
    return {root * cosine * root, root * sine * root};
  }
  const T length = exp(z.re);
  return {length * cosine, length * sine};
}

template <class T>
number<T> hyperbolic_sine(number<T> z) {
  if (z.im == 0) return {sinh(z.re), z.im};
  if (!is_finite(z.im)) {
    if (z.re == 0) return {z.re, no_number<T>};
    return {is_infinite(z.re) ? z.re : no_number<T>, no_number<T>};
  }
  const T sine = sin(z.im), cosine = cos(z.im);
  if (fabs(z.re) > limits<T>::end_of_exp && is_finite(z.re)) {
    const T root = exp(fabs(z.re) / 2);
    return {copysign(root / 2, z.re) * cosine * root, root / 2 * sine * root};
  }
  // No product here is 0 times an infinity: the sine or cosine of a finite number is zero only if the number is zero.
  return {z.re == 0 ? z.re * cosine : sinh(z.re) * cosine, cosh(z.re) * sine};
}

template <class T>
number<T> hyperbolic_cosine(number<T> z) {
  if (z.im == 0) return {cosh(z.re), is_nan(z.re) ? z.im : copysign(T(0), z.re) * copysign(T(1), z.im)};
  if (!is_finite(z.im)) {
    if (z.re == 0) return {no_number<T>, 0};
    return {is_infinite(z.re) ? infinity<T> : no_number<T>, no_number<T>};
  }
  const T sine = sin(z.im), cosine = cos(z.im);
  if (fabs(z.re) > limits<T>::end_of_exp && is_finite(z.re)) {
    const T root = exp(fabs(z.re) / 2);
    return {root / 2 * cosine * root, copysign(root / 2, z.re) * sine * root};
  }
  return {cosh(z.re) * cosine, sinh(z.re) * sine};
}

/// Uses the tangent of one part and the hyperbolic sine of the other part (Kahan 1987).
template <class T>
number<T> hyperbolic_tangent(number<T> z) {
  if (!is_finite(z.im)) {
    if (is_infinite(z.re)) return {copysign(T(1), z.re), copysign(T(0), z.im)};
    return {z.re == 0 ? z.re : no_number<T>, no_number<T>};
  }
  if (fabs(z.re) > limits<T>::tanh_is_one) {
    const T small = exp(-fabs(z.re));
    return {copysign(T(1), z.re), 4 * sin(z.im) * cos(z.im) * small * small};
  }
  if (is_nan(z.re)) return {z.re, z.im == 0 ? z.im : z.re};
  const T tangent = tan(z.im), secant = 1 + tangent * tangent;
  const T sine = sinh(z.re), cosine = sqrt(1 + sine * sine), divisor = 1 + secant * sine * sine;
  return {secant * cosine * sine / divisor, tangent / divisor};
}

// ------------------------------------------------------------------------------------------- logarithms and roots

template <class T>
number<T> logarithm(number<T> z) {
  const T larger = fmax(fabs(z.re), fabs(z.im)), smaller = fmin(fabs(z.re), fabs(z.im));
  const T angle = atan2(z.im, z.re);
  const T length = hypot(z.re, z.im);
  // If the length is near 1, the logarithm of the rounded length would lose digits.
  if (length > T(0.5) && length < T(2)) {
    return {log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2, angle};
  }
  if (is_infinite(length) && is_finite(z.re) && is_finite(z.im)) {
    return {log(hypot(larger / 2, smaller / 2)) + log_2<T>, angle};
  }
  return {log(length), angle};
}

template <class T>
number<T> square_root(number<T> z) {
  if (is_infinite(z.im)) return {infinity<T>, z.im};
  if (is_nan(z.re)) return {z.re, z.re};
  if (is_infinite(z.re)) {
    const T other = is_nan(z.im) ? z.im : T(0);
    return z.re > 0 ? number<T>{z.re, copysign(other, z.im)} : number<T>{other, copysign(infinity<T>, z.im)};
  }
  if (is_nan(z.im)) return {z.im, z.im};
  T scale = 1;
  const T larger = fmax(fabs(z.re), fabs(z.im));
  if (larger == 0) return {0, z.im};
  if (larger > limits<T>::most / 4) {
    z = {z.re / 16, z.im / 16};
    scale = 4;
  } else if (larger < limits<T>::least * 64) {
    // The factor is an even power of two. The factor is large enough to give a subnormal number its full mantissa.
    const T up = T(1ul << (limits<T>::mantissa / 2 + 1));
    z = {z.re * up * up, z.im * up * up};
    scale = 1 / up;
  }
  const T root = sqrt((fabs(z.re) + hypot(z.re, z.im)) / 2);
  if (z.re >= 0) return {root * scale, z.im / (2 * root) * scale};
  return {fabs(z.im) / (2 * root) * scale, copysign(root, z.im) * scale};
}

template <class T>
number<T> power(number<T> base, number<T> exponent) {
  const number<T> of_base = logarithm(base);
  return exponential(product(exponent.re, exponent.im, of_base.re, of_base.im));
}

// ------------------------------------------------------------------------------------------- inverse functions

// Kahan, "Branch cuts for complex elementary functions", 1987.

/// Whether a part is so large that the roots of 1 - z and 1 + z are equal and their products may be infinite. False for
/// NaNs.
template <class T>
bool is_far_out(number<T> z) {
  return fmax(fabs(z.re), fabs(z.im)) > T(1ul << (limits<T>::mantissa / 2 + 4));
}
/// log(2 |z|)
template <class T>
T log_of_double(number<T> z) {
  return logarithm(z).re + log_2<T>;
}

template <class T>
number<T> arc_sine(number<T> z) {
  if (is_far_out(z)) return {atan2(z.re, fabs(z.im)), copysign(log_of_double(z), z.im)};
  const number<T> minus = square_root(number<T>{1 - z.re, -z.im}), plus = square_root(number<T>{1 + z.re, z.im});
  return {atan2(z.re, minus.re * plus.re - minus.im * plus.im), asinh(minus.re * plus.im - minus.im * plus.re)};
}
template <class T>
number<T> arc_cosine(number<T> z) {
  if (is_far_out(z)) return {atan2(fabs(z.im), z.re), -copysign(log_of_double(z), z.im)};
  const number<T> minus = square_root(number<T>{1 - z.re, -z.im}), plus = square_root(number<T>{1 + z.re, z.im});
  return {2 * atan2(minus.re, plus.re), asinh(plus.re * minus.im - plus.im * minus.re)};
}
template <class T>
number<T> hyperbolic_arc_cosine(number<T> z) {
  if (is_far_out(z)) return {log_of_double(z), atan2(z.im, z.re)};
  const number<T> minus = square_root(number<T>{z.re - 1, z.im}), plus = square_root(number<T>{z.re + 1, z.im});
  return {asinh(minus.re * plus.re + minus.im * plus.im), 2 * atan2(minus.im, plus.re)};
}
template <class T>
number<T> hyperbolic_arc_sine(number<T> z) {
  const number<T> turned = arc_sine(number<T>{-z.im, z.re});
  return {turned.im, -turned.re};
}
template <class T>
number<T> hyperbolic_arc_tangent(number<T> z) {
  const T x = fabs(z.re), y = z.im;
  if (!is_finite(x) || !is_finite(y) || x > limits<T>::most / 4 || fabs(y) > limits<T>::most / 4) {
    const T angle = T(1.57079632679489661923);
    if (is_nan(y)) return {is_infinite(x) ? copysign(T(0), z.re) : x == 0 ? z.re : y, y};
    if (is_nan(x)) return {is_infinite(y) ? copysign(T(0), z.re) : x, is_infinite(y) ? copysign(angle, y) : x};
    return {copysign(T(0), z.re), copysign(angle, y)};
  }
  // The parts are scaled, because squares of large parts would be infinite. The result is about 1 / z for such large
  // parts.
  const T larger = fmax(x, fabs(y)), scale = larger > 1 ? scale_of(larger) : T(1);
  const T away = (1 - x) * scale, up = y * scale;
  // At a real part of 1, the square of the imaginary part may be too small to be represented.
  const bool is_pole = x == 1 && up * up < limits<T>::least;
  const T real = is_pole ? (log_2<T> - log(fabs(y))) / 2
                         : log1p(4 * (x * scale) * scale / (away * away + up * up)) / 4;
  const T angle = atan2(2 * up * scale, away * ((1 + x) * scale) - up * up) / 2;
  return {copysign(real, z.re), angle};
}
template <class T>
number<T> arc_tangent(number<T> z) {
  const number<T> turned = hyperbolic_arc_tangent(number<T>{-z.im, z.re});
  return {turned.im, -turned.re};
}

template <class T>
number<T> projection(number<T> z) {
  return is_infinite(z.re) || is_infinite(z.im) ? number<T>{infinity<T>, copysign(T(0), z.im)} : z;
}
/// Turns a hyperbolic function f into a circular function: f(i z) / i.
template <class T>
number<T> turned_back(number<T> z) {
  return {z.im, -z.re};
}
template <class T>
number<T> turned(number<T> z) {
  return {-z.im, z.re};
}

inline float _Complex pair(number<float> z) { return __builtin_complex(z.re, z.im); }
inline double _Complex pair(number<double> z) { return __builtin_complex(z.re, z.im); }
inline number<float> parts(float _Complex z) { return {__real__ z, __imag__ z}; }
inline number<double> parts(double _Complex z) { return {__real__ z, __imag__ z}; }

/// Returns the number that follows `from` in the direction of `to`. `to` only tells the direction, so it may be rounded
/// to a double, unless the rounded number equals `from`.
template <class T>
T next(T from, long double to, T (*next_after)(T, T)) {
  const double near = to;
  const long double back = near;
  const T infinity = __builtin_huge_val();
  if (near < from || (near == from && to < back)) return next_after(from, -infinity);
  if (near > from || (near == from && to > back)) return next_after(from, infinity);
  return near == from ? static_cast<T>(near) : from + static_cast<T>(near);
}

}  // namespace

// Each macro names the function for double first, then the function for float.
#define OF_REALS(name, name_f, result)                                                          \
  double _Complex name(double a, double b, double c, double d) { return pair(result(a, b, c, d)); } \
  float _Complex name_f(float a, float b, float c, float d) { return pair(result(a, b, c, d)); }
#define COMPLEX(name, result)                              \
  double _Complex name(double _Complex argument) {         \
    const number<double> z = parts(argument);              \
    return pair(result);                                   \
  }                                                        \
  float _Complex name##f(float _Complex argument) {        \
    const number<float> z = parts(argument);               \
    return pair(result);                                   \
  }
#define REAL(name, result)                        \
  double name(double _Complex argument) {         \
    const number<double> z = parts(argument);     \
    return result;                                \
  }                                               \
  float name##f(float _Complex argument) {        \
    const number<float> z = parts(argument);      \
    return result;                                \
  }

extern "C" {
OF_REALS(__muldc3, __mulsc3, product)
OF_REALS(__divdc3, __divsc3, quotient)
REAL(cabs, hypot(z.re, z.im))
REAL(carg, atan2(z.im, z.re))
COMPLEX(cexp, exponential(z))
COMPLEX(clog, logarithm(z))
COMPLEX(csqrt, square_root(z))
COMPLEX(cproj, projection(z))
COMPLEX(csinh, hyperbolic_sine(z))
COMPLEX(ccosh, hyperbolic_cosine(z))
COMPLEX(ctanh, hyperbolic_tangent(z))
COMPLEX(csin, turned_back(hyperbolic_sine(turned(z))))
COMPLEX(ccos, hyperbolic_cosine(turned(z)))
COMPLEX(ctan, turned_back(hyperbolic_tangent(turned(z))))
COMPLEX(casin, arc_sine(z))
COMPLEX(cacos, arc_cosine(z))
COMPLEX(catan, arc_tangent(z))
COMPLEX(casinh, hyperbolic_arc_sine(z))
COMPLEX(cacosh, hyperbolic_arc_cosine(z))
COMPLEX(catanh, hyperbolic_arc_tangent(z))
double _Complex cpow(double _Complex base, double _Complex exponent) {
  return pair(power(parts(base), parts(exponent)));
}
float _Complex cpowf(float _Complex base, float _Complex exponent) {
  return pair(power(parts(base), parts(exponent)));
}
// The functions are inlined, so that no long double remains if `to` is a constant or was converted from a double.
__attribute__((always_inline)) double nexttoward(double from, long double to) {
  return next<double>(from, to, [](double a, double b) { return __builtin_nextafter(a, b); });
}
__attribute__((always_inline)) float nexttowardf(float from, long double to) {
  return next<float>(from, to, [](float a, float b) { return __builtin_nextafterf(a, b); });
}
}
