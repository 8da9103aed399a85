/// Math functions (SYCL 2020 4.17.5) of special values: zeros of both signs, infinities, NaN, the smallest and the
/// largest numbers, and numbers at which results become too large or too small. Functions of two values get all pairs
/// of these values. The signs of zeros are compared, too.
#include "math_check.hpp"
#include "math_reference.hpp"

namespace {

using e2e::ld;

/// A function on the device, the host's function, and the largest error in units of the last place.
template <class Function, class Reference>
struct entry {
  const char* name;
  double allowed;
  Function function;
  Reference reference;
};

template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0.0),
                           limits::infinity(),
                           limits::denorm_min(),
                           static_cast<T>(T(3.0) * limits::denorm_min()),
                           static_cast<T>(limits::min() - limits::denorm_min()),
                           limits::min(),
                           limits::max(),
                           limits::epsilon(),
                           static_cast<T>(T(1.0) + limits::epsilon()),
                           static_cast<T>(T(1.0) - limits::epsilon())};
  for (const double each :
       {0.25,   0.5,    0.75,   1.0,    1.5,     2.0,     2.5,       3.0,  4.0,     5.5,      8.3,     9.7,  10.25,
        12.0,   16.5,   17.0,   20.0,   24.5,    26.5,    34.5,      36.2, 40.25,   44.5,     50.5,    88.5, 89.0,
        95.5,   100.0,  103.5,  130.5,  149.0,   171.5,   182.5,     300.5, 310.5,  650.0,    709.5,   720.5, 744.0,
        1023.5, 1050.5, 1073.5, 2049.0, 65504.0, 8388609.0, 1e10, 0x1p100, 0x1p900, 0x1p-30}) {
    values.push_back(static_cast<T>(each));
  }
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(static_cast<T>(-values[i]));
  values.push_back(limits::quiet_NaN());
  return values;
}

const std::vector<int> special_integers = {
    0,    1,    -1,   2,    -2,    3,    -3,    7,     -8,    10,   -10,   24,         -24,         100,
    -126, 127,  -149, -150, 300,   -300, 1023,  -1022, 1100,  -1074, -1075, 2100,      -2200,       2147483647,
    -2147483647, -2147483647 - 1};

template <class T>
std::string text_of(T value) {
  char text[40];
  std::snprintf(text, sizeof(text), " %.9g", static_cast<double>(value));
  return text;
}

template <class First, class Result, class Second>
void check_one(const char* name, double allowed, Result got, ld expected, First x, Second y) {
  if (e2e::ulps(got, expected) <= allowed) return;
  e2e::fail(__FILE__, __LINE__, name + (" of " + std::to_string(sizeof(First))) + " bytes at" + text_of(x) +
                                    text_of(y) + ":" + text_of(got) + " instead of" + text_of(expected));
}

template <class Result, class First, class Second, class... Functions>
void launch(sycl::queue& queue, std::size_t count, std::size_t columns, Result* results, const First* first,
            const Second* second, Functions... functions) {
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      std::size_t at = id[0];
                      const First x = first[id[0] / columns];
                      const Second y = second[id[0] % columns];
                      ((results[at] = static_cast<Result>(functions(x, y)), at += count), ...);
                    })
      .wait();
}

/// Calls the functions for all pairs of values, in one kernel.
template <class Result, class First, class Second, class... Functions, class... References>
void check_pairs(const std::vector<First>& first, const std::vector<Second>& second,
                 entry<Functions, References>... entries) {
  sycl::queue queue = e2e::make_queue();
  const std::size_t columns = second.size(), count = first.size() * columns;
  First* const a = sycl::malloc_shared<First>(first.size(), queue);
  Second* const b = sycl::malloc_shared<Second>(columns, queue);
  Result* const results = sycl::malloc_shared<Result>(sizeof...(entries) * count, queue);
  std::copy(first.begin(), first.end(), a);
  std::copy(second.begin(), second.end(), b);
  launch(queue, count, columns, results, a, b, entries.function...);
  for (std::size_t i = 0; i < count; ++i) {
    const First x = first[i / columns];
    const Second y = second[i % columns];
    std::size_t at = i;
    ((check_one(entries.name, entries.allowed, results[at], entries.reference(static_cast<ld>(x), static_cast<ld>(y)),
                x, y),
      at += count),
     ...);
  }
  sycl::free(a, queue);
  sycl::free(b, queue);
  sycl::free(results, queue);
}

/// Calls functions of one value.
template <class Result, class T, class... Functions, class... References>
void check_values(const std::vector<T>& values, entry<Functions, References>... entries) {
  check_pairs<Result>(values, std::vector<int>{0}, entries...);
}

// These macros make entries. The last parameter computes the expected result from x, or from x and y.
#define FUNCTION(function, allowed, ...) \
  entry { #function, allowed, [](T x, int) { return sycl::function(x); }, [](ld x, ld) -> ld { return __VA_ARGS__; } }
#define OF_TWO(function, allowed, ...)                                \
  entry {                                                             \
    #function, allowed, [](T x, auto y) { return sycl::function(x, y); }, \
        [](ld x, ld y) -> ld { return __VA_ARGS__; }                  \
  }
// These macros are for functions that store a second result of type Second.
#define FIRST_OF(function, Second, allowed, ...)                   \
  entry {                                                          \
    #function, allowed,                                            \
        [](T x, int) {                                             \
          Second second{};                                         \
          return sycl::function(x, &second);                       \
        },                                                         \
        [](ld x, ld) -> ld { return __VA_ARGS__; }                 \
  }
#define SECOND_OF(function, Second, allowed, ...)                  \
  entry {                                                          \
    #function ", second result", allowed,                          \
        [](T x, int) {                                             \
          Second second{};                                         \
          (void)sycl::function(x, &second);                        \
          return second;                                           \
        },                                                         \
        [](ld x, ld) -> ld { return __VA_ARGS__; }                 \
  }

template <class T>
void check_rounding() {
  check_values<T>(special_values<T>(), FUNCTION(ceil, 0, std::ceil(x)), FUNCTION(floor, 0, std::floor(x)),
                  FUNCTION(rint, 0, std::rint(x)), FUNCTION(round, 0, std::round(x)),
                  FUNCTION(trunc, 0, std::trunc(x)), FUNCTION(fabs, 0, std::fabs(x)),
                  FUNCTION(sqrt, 0.5001, std::sqrt(x)), FUNCTION(logb, 0, std::logb(x)));
}

template <class T>
void check_exponentials() {
  check_values<T>(special_values<T>(), FUNCTION(exp, 3, std::exp(x)), FUNCTION(exp2, 3, std::exp2(x)),
                  FUNCTION(exp10, 3, std::pow(10.0L, x)), FUNCTION(expm1, 3, std::expm1(x)),
                  FUNCTION(log, 3, std::log(x)), FUNCTION(log2, 3, std::log2(x)), FUNCTION(log10, 3, std::log10(x)),
                  FUNCTION(log1p, 2, std::log1p(x)), FUNCTION(cbrt, 2, std::cbrt(x)),
                  FUNCTION(rsqrt, 2, 1 / std::sqrt(x)));
}

template <class T>
void check_circular() {
  check_values<T>(special_values<T>(), FUNCTION(sin, 4, std::sin(x)), FUNCTION(cos, 4, std::cos(x)),
                  FUNCTION(tan, 5, std::tan(x)), FIRST_OF(sincos, T, 4, std::sin(x)),
                  SECOND_OF(sincos, T, 4, std::cos(x)), FUNCTION(sinpi, 4, e2e::sinpi(x)),
                  FUNCTION(cospi, 4, e2e::cospi(x)), FUNCTION(tanpi, 6, e2e::tanpi(x)));
  check_values<T>(special_values<T>(), FUNCTION(asin, 4, std::asin(x)), FUNCTION(acos, 4, std::acos(x)),
                  FUNCTION(atan, 5, std::atan(x)), FUNCTION(asinpi, 5, std::asin(x) / e2e::pi),
                  FUNCTION(acospi, 5, std::acos(x) / e2e::pi), FUNCTION(atanpi, 5, std::atan(x) / e2e::pi));
  check_pairs<T>(special_values<T>(), special_values<T>(), OF_TWO(atan2, 6, std::atan2(x, y)),
                 OF_TWO(atan2pi, 6, std::atan2(x, y) / e2e::pi));
}

template <class T>
void check_hyperbolic() {
  check_values<T>(special_values<T>(), FUNCTION(sinh, 4, std::sinh(x)), FUNCTION(cosh, 4, std::cosh(x)),
                  FUNCTION(tanh, 5, std::tanh(x)), FUNCTION(asinh, 4, std::asinh(x)),
                  FUNCTION(acosh, 4, std::acosh(x)), FUNCTION(atanh, 5, std::atanh(x)));
}

template <class T>
void check_gamma() {
  // SYCL sets no limit for lgamma, which is near 0 for some arguments.
  check_values<T>(special_values<T>(), FUNCTION(erf, 16, std::erf(x)), FUNCTION(erfc, 16, std::erfc(x)),
                  FUNCTION(tgamma, 16, std::tgamma(x)), FUNCTION(lgamma, 100, std::lgamma(x)),
                  FIRST_OF(lgamma_r, int, 100, std::lgamma(x)));
  // At its poles, the gamma function has no sign.
  std::vector<T> numbers;
  for (const T each : special_values<T>()) {
    if (!std::isnan(std::tgamma(static_cast<ld>(each)))) numbers.push_back(each);
  }
  check_values<int>(numbers, SECOND_OF(lgamma_r, int, 0, std::signbit(std::tgamma(x)) ? -1.0L : 1.0L));
}

template <class T>
void check_parts() {
  check_values<T>(special_values<T>(), FIRST_OF(modf, T, 0, e2e::modf(x)), SECOND_OF(modf, T, 0, std::trunc(x)),
                  FIRST_OF(fract, T, 0.5001, e2e::fract<T>(x)), SECOND_OF(fract, T, 0, std::floor(x)),
                  FIRST_OF(frexp, int, 0, [](ld a) {
                    int exponent = 0;
                    return std::frexp(a, &exponent);
                  }(x)));
  check_values<int>(special_values<T>(), FUNCTION(ilogb, 0, std::ilogb(x)), SECOND_OF(frexp, int, 0, [](ld a) {
                      int exponent = 0;
                      (void)std::frexp(a, &exponent);
                      return std::isfinite(a) ? exponent : 0;  // not specified
                    }(x)));
}

template <class T>
void check_powers() {
  check_pairs<T>(special_values<T>(), special_values<T>(), OF_TWO(pow, 16, std::pow(x, y)),
                 OF_TWO(powr, 16, e2e::powr(x, y)), OF_TWO(hypot, 4, std::hypot(x, y)));
  constexpr double allowed = sizeof(T) == 8 ? 16 : 1;
  check_pairs<T>(special_values<T>(), special_integers, OF_TWO(pown, allowed, std::pow(x, y)),
                 OF_TWO(rootn, allowed, e2e::rootn(x, y)), OF_TWO(ldexp, 0.5001, std::ldexp(x, static_cast<int>(y))));
}

template <class T>
void check_quotients() {
  check_pairs<T>(special_values<T>(), special_values<T>(), OF_TWO(fmod, 0, std::fmod(x, y)),
                 OF_TWO(remainder, 0, std::remainder(x, y)), OF_TWO(fdim, 0.5001, std::fdim(x, y)),
                 entry{"remquo", 0,
                       [](T x, T y) {
                         int quotient = 0;
                         return sycl::remquo(x, y, &quotient);
                       },
                       [](ld x, ld y) -> ld { return std::remainder(x, y); }});
}

template <class T>
void check_choices() {
  // Either zero, +0 or -0, may be the larger number.
  const auto one_zero = [](auto value) { return value == 0 ? decltype(value)(0.0f) : value; };
  check_pairs<T>(special_values<T>(), special_values<T>(),
                 entry{"fmax", 0, [=](T x, T y) { return one_zero(sycl::fmax(x, y)); },
                       [=](ld x, ld y) { return one_zero(std::fmax(x, y)); }},
                 entry{"fmin", 0, [=](T x, T y) { return one_zero(sycl::fmin(x, y)); },
                       [=](ld x, ld y) { return one_zero(std::fmin(x, y)); }},
                 OF_TWO(copysign, 0, std::copysign(x, y)),
                 // The host has this function only for its own types; math_functions tests the results.
                 entry{"the sign of nextafter", 0, [](T x, T y) { return sycl::nextafter(x, y); },
                       [](ld x, ld y) -> ld { return e2e::nextafter(static_cast<T>(x), static_cast<T>(y)); }});
}

#define FOR_FLOAT_TYPES(check) \
  check<float>();              \
  check<double>();             \
  check<sycl::half>()

}  // namespace

TEST("functions that round") { FOR_FLOAT_TYPES(check_rounding); }
TEST("exponentials, logarithms and roots") { FOR_FLOAT_TYPES(check_exponentials); }
TEST("trigonometric functions and their inverses") { FOR_FLOAT_TYPES(check_circular); }
TEST("hyperbolic functions and their inverses") { FOR_FLOAT_TYPES(check_hyperbolic); }
TEST("error and gamma functions") { FOR_FLOAT_TYPES(check_gamma); }
TEST("functions that take numbers apart") { FOR_FLOAT_TYPES(check_parts); }
TEST("powers and roots") { FOR_FLOAT_TYPES(check_powers); }
TEST("remainders and differences") { FOR_FLOAT_TYPES(check_quotients); }
TEST("functions that choose an argument or its neighbour") { FOR_FLOAT_TYPES(check_choices); }

E2E_MAIN
