/// Compares math functions (SYCL 2020 4.17.5) of float, double and half with the host's long double functions. Errors
/// must stay within the specification's limits. Arguments include special values.
#include "math_check.hpp"
#include "math_reference.hpp"

namespace {

using e2e::ld;

#define UNARY(function, reference, least, most, allowed)                                                   \
  e2e::check_accuracy(                                                                                     \
      #function, allowed, [](const auto& x) { return sycl::function(x); }, [](ld x) { return reference; }, \
      e2e::math_values<T>(least, most))
#define BINARY(function, reference, least, most, least2, most2, allowed)                     \
  e2e::check_accuracy(                                                                       \
      #function, allowed, [](const auto& x, const auto& y) { return sycl::function(x, y); }, \
      [](ld x, ld y) { return reference; }, e2e::math_values<T>(least, most), e2e::math_values<T>(least2, most2))

#define CHOICE(function, reference)                                                        \
  e2e::check_choice(                                                                       \
      #function, [](const auto& x, const auto& y) { return sycl::function(x, y); },        \
      [](ld x, ld y) { return reference; }, e2e::math_values<T>(-9, 9), e2e::math_values<T>(-9, 9))

/// Calls check<T>() for the three types.
#define FOR_FLOAT_TYPES(check) \
  check<float>();              \
  check<double>();             \
  check<sycl::half>()

template <class T>
void check_rounding() {
  UNARY(ceil, std::ceil(x), -1000, 1000, 0);
  UNARY(floor, std::floor(x), -1000, 1000, 0);
  UNARY(rint, std::rint(x), -1000, 1000, 0);
  UNARY(round, std::round(x), -1000, 1000, 0);
  UNARY(trunc, std::trunc(x), -1000, 1000, 0);
  UNARY(fabs, std::fabs(x), -1000, 1000, 0);
  UNARY(sqrt, std::sqrt(x), 0, 1000, 0.5001);
  UNARY(logb, std::logb(x), -1000, 1000, 0);
}

template <class T>
void check_exponential() {
  const double range = sizeof(T) == 2 ? 5 : 80;
  UNARY(exp, std::exp(x), -range, range, 3);
  UNARY(exp2, std::exp2(x), -range, range, 3);
  UNARY(exp10, std::pow(10.0L, x), -range / 3, range / 3, 3);
  UNARY(expm1, std::expm1(x), -5, 5, 3);
  UNARY(log, std::log(x), 0, 1000, 3);
  UNARY(log2, std::log2(x), 0, 1000, 3);
  UNARY(log10, std::log10(x), 0, 1000, 3);
  UNARY(log1p, std::log1p(x), -0.9, 10, 2);
  UNARY(cbrt, std::cbrt(x), -1000, 1000, 2);
  UNARY(rsqrt, 1 / std::sqrt(x), 0, 1000, 2);
  UNARY(erf, std::erf(x), -3, 3, 16);
  UNARY(erfc, std::erfc(x), -3, 3, 16);
  UNARY(tgamma, std::tgamma(x), 0.1, 8, 16);
  UNARY(lgamma, std::lgamma(x), 0.1, 50, 16);
}

template <class T>
void check_trigonometric() {
  UNARY(sin, std::sin(x), -20, 20, 4);
  UNARY(cos, std::cos(x), -20, 20, 4);
  UNARY(tan, std::tan(x), -20, 20, 5);
  UNARY(asin, std::asin(x), -1, 1, 4);
  UNARY(acos, std::acos(x), -1, 1, 4);
  UNARY(atan, std::atan(x), -100, 100, 5);
  UNARY(sinh, std::sinh(x), -10, 10, 4);
  UNARY(cosh, std::cosh(x), -10, 10, 4);
  UNARY(tanh, std::tanh(x), -10, 10, 5);
  UNARY(asinh, std::asinh(x), -100, 100, 4);
  UNARY(acosh, std::acosh(x), 1, 100, 4);
  UNARY(atanh, std::atanh(x), -1, 1, 5);
  UNARY(sinpi, e2e::sinpi(x), -20, 20, 4);
  UNARY(cospi, e2e::cospi(x), -20, 20, 4);
  UNARY(tanpi, e2e::tanpi(x), -20, 20, 6);
  UNARY(asinpi, std::asin(x) / e2e::pi, -1, 1, 5);
  UNARY(acospi, std::acos(x) / e2e::pi, -1, 1, 5);
  UNARY(atanpi, std::atan(x) / e2e::pi, -100, 100, 5);
}

template <class T>
void check_binary() {
  BINARY(atan2, std::atan2(x, y), -100, 100, -100, 100, 6);
  BINARY(atan2pi, std::atan2(x, y) / e2e::pi, -100, 100, -100, 100, 6);
  BINARY(copysign, std::copysign(x, y), -100, 100, -100, 100, 0);
  BINARY(fdim, std::fdim(x, y), -100, 100, -100, 100, 0.5001);
  CHOICE(fmax, std::fmax(x, y));
  CHOICE(fmin, std::fmin(x, y));
  BINARY(fmod, std::fmod(x, y), -100, 100, -10, 10, 0);
  BINARY(hypot, std::hypot(x, y), -100, 100, -100, 100, 4);
  BINARY(pow, std::pow(x, y), 0, 10, -3, 3, 16);
  BINARY(remainder, std::remainder(x, y), -100, 100, -10, 10, 0);
  CHOICE(maxmag, std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y));
  CHOICE(minmag, std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y));
  BINARY(powr, e2e::powr(x, y), 0, 10, -3, 3, 16);
  e2e::check_accuracy(
      "fmax with one value", 0, [](const auto& x) { return sycl::fmax(x, T(1.25f)); },
      [](ld x) { return std::fmax(x, 1.25L); }, e2e::math_values<T>(-3, 3));
  e2e::check_accuracy(
      "fmin with one value", 0, [](const auto& x) { return sycl::fmin(x, T(1.25f)); },
      [](ld x) { return std::fmin(x, 1.25L); }, e2e::math_values<T>(-3, 3));
}

template <class T>
void check_ternary() {
  const auto x = e2e::math_values<T>(-100, 100), y = e2e::math_values<T>(-100, 100), z = e2e::math_values<T>(-100, 100);
  e2e::check_accuracy(
      "fma", 0.501, [](const auto& a, const auto& b, const auto& c) { return sycl::fma(a, b, c); },
      [](ld a, ld b, ld c) { return std::fma(a, b, c); }, x, y, z);
  // The inputs are chosen so that no digits cancel, because the specification sets no limit for mad with cancellation.
  const auto u = e2e::math_values<T>(1, 10, false), v = e2e::math_values<T>(1, 10, false),
             w = e2e::math_values<T>(1, 10, false);
  e2e::check_accuracy(
      "mad", 2, [](const auto& a, const auto& b, const auto& c) { return sycl::mad(a, b, c); },
      [](ld a, ld b, ld c) { return a * b + c; }, u, v, w);
}

template <class T>
void check_parts() {
  const auto x = e2e::math_values<T>(-100, 100);
  const auto y = e2e::math_values<T>(-100, 100);
  e2e::check_forms(
      "nextafter", 0, [](const auto& a, const auto& b) { return sycl::nextafter(a, b); }, &e2e::nextafter<T>,
      [](T got, T expected) { return got == expected || (got != got && expected != expected) ? 0.0 : 1.0; }, x, y);
  e2e::check_accuracy(
      "ilogb", 0, [](const auto& a) { return sycl::ilogb(a); }, [](ld a) { return ld(std::ilogb(a)); }, x);
  e2e::check_accuracy(
      "fract", 0.5001,
      [](const auto& a) {
        decltype(sycl::fabs(a)) whole{};
        return sycl::fract(a, &whole);
      },
      [](ld a) { return e2e::fract<T>(a); },
      x);
  e2e::check_accuracy(
      "fract, whole part", 0,
      [](const auto& a) {
        decltype(sycl::fabs(a)) whole{};
        (void)sycl::fract(a, &whole);
        return whole;
      },
      [](ld a) { return std::floor(a); }, x);
  e2e::check_accuracy(
      "modf", 0,
      [](const auto& a) {
        decltype(sycl::fabs(a)) whole{};
        return sycl::modf(a, &whole);
      },
      [](ld a) { return e2e::modf(a); }, x);
  e2e::check_accuracy(
      "modf, whole part", 0,
      [](const auto& a) {
        decltype(sycl::fabs(a)) whole{};
        (void)sycl::modf(a, &whole);
        return whole;
      },
      [](ld a) { return std::trunc(a); }, x);
  e2e::check_accuracy(
      "sincos", 4,
      [](const auto& a) {
        decltype(sycl::fabs(a)) cosine{};
        return sycl::sincos(a, &cosine);
      },
      [](ld a) { return std::sin(a); }, x);
  e2e::check_accuracy(
      "sincos, cosine", 4,
      [](const auto& a) {
        decltype(sycl::fabs(a)) cosine{};
        (void)sycl::sincos(a, &cosine);
        return cosine;
      },
      [](ld a) { return std::cos(a); }, x);
  e2e::check_accuracy(
      "frexp", 0,
      [](const auto& a) {
        decltype(sycl::ilogb(a)) exponent{};
        return sycl::frexp(a, &exponent);
      },
      [](ld a) {
        int exponent = 0;
        return std::frexp(a, &exponent);
      },
      x);
  e2e::check_accuracy(
      "frexp, exponent", 0,
      [](const auto& a) {
        decltype(sycl::ilogb(a)) exponent{};
        (void)sycl::frexp(a, &exponent);
        return exponent;
      },
      [](ld a) {
        int exponent = 0;
        (void)std::frexp(a, &exponent);
        return std::isfinite(a) ? ld(exponent) : 0.0L;  // unspecified
      },
      x);
  const auto shapes = e2e::math_values<T>(-3, 10, false);
  e2e::check_accuracy(
      "lgamma_r, sign", 0,
      [](const auto& a) {
        decltype(sycl::ilogb(a)) sign{};
        (void)sycl::lgamma_r(a, &sign);
        return sign;
      },
      [](ld a) { return std::tgamma(a) < 0 ? -1.0L : 1.0L; }, shapes);
  const auto positive = e2e::math_values<T>(0.1, 10, false);
  e2e::check_accuracy(
      "lgamma_r", 16,
      [](const auto& a) {
        decltype(sycl::ilogb(a)) sign{};
        return sycl::lgamma_r(a, &sign);
      },
      [](ld a) { return std::lgamma(a); }, positive);
}

template <class T>
void check_integer_arguments() {
  std::vector<int> small(e2e::math_count), roots(e2e::math_count), shifts(e2e::math_count);
  for (int& n : small) n = static_cast<int>(e2e::random()() % 41) - 20;
  for (int& n : roots) n = static_cast<int>(e2e::random()() % 21) - 10;
  for (int& n : shifts) n = static_cast<int>(e2e::random()() % 61) - 30;
  small[3] = 2147483647, small[4] = -2147483647 - 1, small[5] = 16777217, roots[6] = 2147483647, roots[7] = 1000;
  auto x = e2e::math_values<T>(-5, 5);
  x[5] = T(-1.0f);
  // The library computes these functions of float in pairs of floats, and those of half in float.
  constexpr double allowed = sizeof(T) == 8 ? 16 : 1;
  e2e::check_accuracy(
      "pown", allowed, [](const auto& a, const auto& n) { return sycl::pown(a, n); },
      [](ld a, ld n) { return std::pow(a, n); }, x, small);
  const auto base = e2e::math_values<T>(-1000, 1000);
  e2e::check_accuracy(
      "rootn", allowed, [](const auto& a, const auto& n) { return sycl::rootn(a, n); },
      [](ld a, ld n) { return e2e::rootn(a, n); },
      base, roots);
  e2e::check_accuracy(
      "ldexp", 0.5001, [](const auto& a, const auto& n) { return sycl::ldexp(a, n); },
      [](ld a, ld n) { return std::ldexp(a, static_cast<int>(n)); }, base, shifts);
  e2e::check_accuracy(
      "ldexp with one exponent", 0.5001, [](const auto& a) { return sycl::ldexp(a, -3); },
      [](ld a) { return std::ldexp(a, -3); }, base);
  // The quotient is exact in long double; its lower seven bits are compared.
  const auto dividend = e2e::math_values<T>(-1000, 1000, false), divisor = e2e::math_values<T>(1, 4, false);
  e2e::check_accuracy(
      "remquo, quotient", 0,
      [](const auto& a, const auto& b) {
        decltype(sycl::ilogb(a)) quotient{};
        (void)sycl::remquo(a, b, &quotient);
        return quotient;
      },
      [](ld a, ld b) { return std::fmod((a - std::remainder(a, b)) / b, 128.0L); }, dividend, divisor);
  e2e::check_accuracy(
      "remquo", 0,
      [](const auto& a, const auto& b) {
        decltype(sycl::ilogb(a)) quotient{};
        return sycl::remquo(a, b, &quotient);
      },
      [](ld a, ld b) { return std::remainder(a, b); }, base, x);
}

#define NATIVE(space, function, reference, least, most)                                 \
  e2e::check_accuracy(                                                                  \
      #space "::" #function, 8, [](const auto& x) { return sycl::space::function(x); }, \
      [](ld x) { return reference; }, e2e::math_values<float>(least, most))
#define NATIVE_FUNCTIONS(space)                                                                          \
  NATIVE(space, cos, std::cos(x), -3, 3);                                                                \
  NATIVE(space, exp, std::exp(x), -10, 10);                                                              \
  NATIVE(space, exp2, std::exp2(x), -10, 10);                                                            \
  NATIVE(space, exp10, std::pow(10.0L, x), -10, 10);                                                     \
  NATIVE(space, log, std::log(x), 0, 10);                                                                \
  NATIVE(space, log2, std::log2(x), 0, 10);                                                              \
  NATIVE(space, log10, std::log10(x), 0, 10);                                                            \
  NATIVE(space, recip, 1 / x, -10, 10);                                                                  \
  NATIVE(space, rsqrt, 1 / std::sqrt(x), 0, 10);                                                         \
  NATIVE(space, sin, std::sin(x), -3, 3);                                                                \
  NATIVE(space, sqrt, std::sqrt(x), 0, 10);                                                              \
  NATIVE(space, tan, std::tan(x), -1, 1);                                                                \
  e2e::check_accuracy(                                                                                   \
      #space "::divide", 8, [](const auto& x, const auto& y) { return sycl::space::divide(x, y); },      \
      [](ld x, ld y) { return x / y; }, e2e::math_values<float>(-9, 9), e2e::math_values<float>(-9, 9)); \
  e2e::check_accuracy(                                                                                   \
      #space "::powr", 16, [](const auto& x, const auto& y) { return sycl::space::powr(x, y); },         \
      [](ld x, ld y) { return std::pow(x, y); }, e2e::math_values<float>(0.1, 9, false),                 \
      e2e::math_values<float>(-3, 3, false))

} // namespace

TEST("functions that round are exact") { FOR_FLOAT_TYPES(check_rounding); }
TEST("exponential functions keep the limits of the specification") { FOR_FLOAT_TYPES(check_exponential); }
TEST("trigonometric functions keep the limits of the specification") { FOR_FLOAT_TYPES(check_trigonometric); }
TEST("functions of two arguments keep the limits of the specification") { FOR_FLOAT_TYPES(check_binary); }
TEST("functions of three arguments keep the limits of the specification") { FOR_FLOAT_TYPES(check_ternary); }
TEST("functions that take numbers apart agree with the host") { FOR_FLOAT_TYPES(check_parts); }
TEST("functions with integer arguments keep the limits of the specification") {
  FOR_FLOAT_TYPES(check_integer_arguments);
}
TEST("native functions are as precise as the others but on GPUs, half_precision functions everywhere") {
  NATIVE_FUNCTIONS(half_precision);
  if (e2e::make_queue().get_device().is_gpu()) return;
  NATIVE_FUNCTIONS(native);
}

TEST("native functions are good to five digits, of numbers of everyday size") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 1000, functions = 13;
  float* results = sycl::malloc_shared<float>(functions * count, queue);
  const auto input = [](std::size_t i) { return 0.125f + 9.5f * static_cast<float>(i) / count; };
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      const float x = input(i);
                      namespace native = sycl::native;
                      const float all[functions] = {native::sin(x / 4),  native::cos(x / 4),     native::tan(x / 8),
                                                    native::exp(x),      native::exp2(x),        native::exp10(x / 2),
                                                    native::log(x),      native::log2(x),        native::log10(x),
                                                    native::sqrt(x),     native::rsqrt(x),       native::recip(x),
                                                    native::divide(3, x)};
                      for (std::size_t k = 0; k < functions; ++k) results[functions * i + k] = all[k];
                    })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = input(i);
    const double expected[functions] = {std::sin(x / 4), std::cos(x / 4), std::tan(x / 8),      std::exp(x),
                                        std::exp2(x),    std::pow(10, x / 2), std::log(x),      std::log2(x),
                                        std::log10(x),   std::sqrt(x),    1 / std::sqrt(x),     1 / x,
                                        3 / x};
    for (std::size_t k = 0; k < functions; ++k) {
      CHECK(std::abs(results[functions * i + k] - expected[k]) <= 1e-5 * std::max(1.0, std::abs(expected[k])));
    }
  }
  sycl::free(results, queue);
}

TEST("the second result goes through a multi_ptr as well, and nan carries its code") {
  sycl::queue queue = e2e::make_queue();
  float* floats = sycl::malloc_shared<float>(8, queue);
  int* integers = sycl::malloc_shared<int>(8, queue);
  queue
      .single_task([=] {
        using sycl::access::address_space;
        using sycl::access::decorated;
        const auto values = sycl::address_space_cast<address_space::global_space, decorated::no>(floats);
        const auto whole = sycl::address_space_cast<address_space::global_space, decorated::no>(integers);
        floats[4] = sycl::modf(-2.75f, values);
        floats[5] = sycl::frexp(12.0f, whole);
        sycl::float2 parts;
        const sycl::float2 rests = sycl::fract(
            sycl::float2(-1.25f, 3.5f), sycl::address_space_cast<address_space::private_space, decorated::yes>(&parts));
        floats[1] = parts.x(), floats[2] = rests.x(), floats[3] = rests.y();
        floats[6] = sycl::nan(5u);
        floats[7] = sycl::nan(sycl::uint2(1u, 9u)).y();
        integers[1] = sycl::isnan(sycl::nan(std::uint64_t{3})) && sycl::isnan(sycl::nan(std::uint16_t{3}));
        int sign = 0;
        (void)sycl::lgamma_r(-0.0f, &sign);
        integers[2] = sign;
      })
      .wait();
  CHECK_EQUAL(floats[0], -2.0f);
  CHECK_EQUAL(floats[4], -0.75f);
  CHECK_EQUAL(integers[0], 4);
  CHECK_EQUAL(floats[5], 0.75f);
  CHECK_EQUAL(floats[1], -2.0f);
  CHECK_EQUAL(floats[2], 0.75f);
  CHECK_EQUAL(floats[3], 0.5f);
  CHECK_EQUAL(sycl::bit_cast<std::uint32_t>(floats[6]) & 0x7fffffffu, 0x7fc00005u);
  CHECK_EQUAL(sycl::bit_cast<std::uint32_t>(floats[7]) & 0x7fffffffu, 0x7fc00009u);
  CHECK_EQUAL(integers[1], 1);
  CHECK_EQUAL(integers[2], -1);
  sycl::free(floats, queue);
  sycl::free(integers, queue);
}

TEST("signs of zeros and infinities of the functions in units of pi") {
  sycl::queue queue = e2e::make_queue();
  const double in[] = {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1.5, -0.5, 2.5};
  double* data = sycl::malloc_shared<double>(30, queue);
  std::copy(std::begin(in), std::end(in), data);
  queue
      .parallel_for(sycl::range<1>(10),
                    [=](sycl::id<1> i) {
                      data[10 + i] = sycl::sinpi(data[i]);
                      data[20 + i] = sycl::tanpi(data[i]);
                    })
      .wait();
  const double infinity = std::numeric_limits<double>::infinity();
  const double sines[] = {0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1, -1, -1, 1};
  const double tangents[] = {0.0, -0.0, -0.0, 0.0, 0.0, -0.0, infinity, -infinity, -infinity, infinity};
  for (int i = 0; i < 10; ++i) {
    CHECK(data[10 + i] == sines[i] && std::signbit(data[10 + i]) == std::signbit(sines[i]));
    CHECK(data[20 + i] == tangents[i] && std::signbit(data[20 + i]) == std::signbit(tangents[i]));
  }
  sycl::free(data, queue);
}

E2E_MAIN
