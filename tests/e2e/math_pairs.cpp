/// Functions of two arguments (SYCL 2020 4.17.5) of float and double, for all pairs of special values: zeros, the
/// smallest and largest numbers of each kind and their neighbours, infinities, NaNs. The results are compared with
/// results of the host's functions for long double. If a function's results are exact, they are compared with the same
/// function on the host.
#include <climits>

#include "math_check.hpp"

namespace {

using ld = long double;

template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  const T one = 1, largest = limits::max(), least = limits::min(), tiny = limits::denorm_min();
  std::vector<T> values = {T(0),
                           tiny,
                           tiny * 3,
                           std::nextafter(least, T(0)),
                           least,
                           limits::epsilon(),
                           T(0.25),
                           T(0.5),
                           std::nextafter(one, T(0)),
                           one,
                           std::nextafter(one, T(2)),
                           T(1.5),
                           T(2),
                           T(3),
                           T(1001),
                           std::ldexp(one, limits::digits) - 1,
                           std::sqrt(largest),
                           largest / 4,
                           largest / 2,
                           std::nextafter(largest, T(0)),
                           largest,
                           limits::infinity(),
                           limits::quiet_NaN()};
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

constexpr int special_integers[] = {0, 1, -1, 2, -2, 3, -3, 10, -31, 150, -149, 1023, -1074, 4001, INT_MAX, INT_MIN};

/// Returns 0 if the values are equal or both are NaNs. Zeros are equal only if they have the same sign.
template <class T>
double differs(T got, T expected) {
  if (got != got || expected != expected) return got != got && expected != expected ? 0 : 1e9;
  return got == expected && std::signbit(got) == std::signbit(expected) ? 0 : 1e9;
}

/// Returns the distance from the exact value. Zeros of different signs count as different, and a finite result is never
/// close to an infinite result.
template <class T>
double distance(T got, ld exact) {
  if (got == 0 && static_cast<T>(exact) == 0) return std::signbit(got) == std::signbit(exact) ? 0 : 1e9;
  return std::isinf(got) == std::isinf(static_cast<T>(exact)) ? e2e::ulps(got, exact) : 1e9;
}

ld larger_magnitude(ld x, ld y) {
  return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y);
}

ld root(ld x, int n) {
  const bool is_odd = n % 2 != 0;
  if (n == 0 || (x < 0 && !is_odd)) return std::numeric_limits<ld>::quiet_NaN();
  const ld value = std::pow(std::fabs(x), 1.0L / n);
  return std::signbit(x) && is_odd ? -value : value;
}

/// A function, and the error that its results may have.
struct checked_function {
  const char* name;
  double allowed;
};
constexpr checked_function functions[] = {
    {"hypot", 4},     {"pow", 16}, {"powr", 16}, {"atan2", 6}, {"atan2pi", 6},   {"fmod", 0},
    {"remainder", 0}, {"fdim", 0}, {"fmax", 0},  {"fmin", 0},  {"nextafter", 0}, {"copysign", 0},
    {"maxmag", 0},    {"remquo", 0}, {"quotient", 0}};
constexpr checked_function integer_functions[] = {{"ldexp", 0}, {"pown", 16}, {"rootn", 16}};
constexpr std::size_t function_count = std::size(functions), integer_count = std::size(integer_functions);

template <class T>
double error_of(std::size_t function, T x, T y, T got) {
  const ld a = x, b = y;
  int quotient = 0;
  switch (function) {
    case 0:
      return distance(got, std::hypot(a, b));
    case 1:
      return distance(got, std::pow(a, b));
    case 2:  // the function is checked only for positive finite x
      return x > 0 && std::isfinite(x) && std::isfinite(y) ? distance(got, std::pow(a, b)) : 0;
    case 3:
      return distance(got, std::atan2(a, b));
    case 4:
      return distance(got, std::atan2(a, b) / 3.14159265358979323846264338327950288L);
    case 5:
      return differs(got, std::fmod(x, y));
    case 6:
      return differs(got, std::remainder(x, y));
    case 7:
      return differs(got, x > y ? x - y : x <= y ? T(0) : std::numeric_limits<T>::quiet_NaN());
    case 8:  // a zero of either sign is right
      return x == 0 && y == 0 ? got != 0 : differs(got, std::fmax(x, y));
    case 9:
      return x == 0 && y == 0 ? got != 0 : differs(got, std::fmin(x, y));
    case 10:
      return x == y ? got != y : differs(got, std::nextafter(x, y));
    case 11:
      return got != got && x != x ? 0 : differs(got, std::copysign(x, y));
    case 12:
      return x == 0 && y == 0 ? got != 0 : differs(got, static_cast<T>(larger_magnitude(a, b)));
    case 13:
      return differs(got, std::remquo(x, y, &quotient));
    default: {  // at least the sign and three bits of the quotient must be right
      if (!std::isfinite(x) || y != y || y == 0) return 0;
      std::remquo(x, y, &quotient);
      const int seven = static_cast<int>(got), mine = quotient & 7;
      return (seven < 0 ? -seven : seven) % 8 == (quotient < 0 ? (8 - mine) % 8 : mine) ? 0 : 1;
    }
  }
}

template <class T>
double integer_error_of(std::size_t function, T x, int n, T got) {
  switch (function) {
    case 0:
      return differs(got, std::ldexp(x, n));
    case 1:
      return distance(got, std::pow(static_cast<ld>(x), static_cast<ld>(n)));
    default:
      return distance(got, root(x, n));
  }
}

template <class T>
std::string text_of(T value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%a", static_cast<double>(value));
  return text;
}

/// Reports the first wrong pair of each function.
template <class T>
void check_pairs() {
  sycl::queue queue = e2e::make_queue();
  const std::vector<T> specials = special_values<T>();
  const std::size_t side = specials.size(), count = side * side;
  T* values = sycl::malloc_shared<T>(side, queue);
  T* out = sycl::malloc_shared<T>(count * function_count, queue);
  std::copy(specials.begin(), specials.end(), values);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      const T x = values[id[0] / side], y = values[id[0] % side];
                      T* to = out + id[0] * function_count;
                      int quotient = 0;
                      to[0] = sycl::hypot(x, y);
                      to[1] = sycl::pow(x, y);
                      to[2] = sycl::powr(x, y);
                      to[3] = sycl::atan2(x, y);
                      to[4] = sycl::atan2pi(x, y);
                      to[5] = sycl::fmod(x, y);
                      to[6] = sycl::remainder(x, y);
                      to[7] = sycl::fdim(x, y);
                      to[8] = sycl::fmax(x, y);
                      to[9] = sycl::fmin(x, y);
                      to[10] = sycl::nextafter(x, y);
                      to[11] = sycl::copysign(x, y);
                      to[12] = sycl::maxmag(x, y);
                      to[13] = sycl::remquo(x, y, sycl::private_ptr<int>(&quotient));
                      to[14] = static_cast<T>(quotient % 128);
                    })
      .wait();
  for (std::size_t f = 0; f < function_count; ++f) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const T x = specials[i / side], y = specials[i % side], got = out[i * function_count + f];
      const double error = error_of(f, x, y, got);
      if (error <= functions[f].allowed || wrong++ != 0) continue;
      e2e::fail(__FILE__, __LINE__,
                std::string(functions[f].name) + "(" + text_of(x) + ", " + text_of(y) + ") of " +
                    std::to_string(sizeof(T)) + " bytes is " + text_of(got) + ", off by " + std::to_string(error));
    }
    if (wrong > 1) std::printf("  %s: %zu pairs are wrong\n", functions[f].name, wrong);
  }
  sycl::free(values, queue);
  sycl::free(out, queue);
}

template <class T>
void check_integers() {
  sycl::queue queue = e2e::make_queue();
  const std::vector<T> specials = special_values<T>();
  const std::size_t side = std::size(special_integers), count = specials.size() * side;
  T* values = sycl::malloc_shared<T>(specials.size(), queue);
  int* numbers = sycl::malloc_shared<int>(side, queue);
  T* out = sycl::malloc_shared<T>(count * integer_count, queue);
  std::copy(specials.begin(), specials.end(), values);
  std::copy(std::begin(special_integers), std::end(special_integers), numbers);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      const T x = values[id[0] / side];
                      const int n = numbers[id[0] % side];
                      T* to = out + id[0] * integer_count;
                      to[0] = sycl::ldexp(x, n);
                      to[1] = sycl::pown(x, n);
                      to[2] = sycl::rootn(x, n);
                    })
      .wait();
  for (std::size_t f = 0; f < integer_count; ++f) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const T x = specials[i / side], got = out[i * integer_count + f];
      const int n = special_integers[i % side];
      const double error = integer_error_of(f, x, n, got);
      // To compute powers and roots of floats, the library represents each number by a pair of floats.
      const double most = sizeof(T) == 4 ? 1 : 16;
      if (error <= std::min(most, integer_functions[f].allowed) || wrong++ != 0) continue;
      e2e::fail(__FILE__, __LINE__,
                std::string(integer_functions[f].name) + "(" + text_of(x) + ", " + std::to_string(n) + ") of " +
                    std::to_string(sizeof(T)) + " bytes is " + text_of(got) + ", off by " + std::to_string(error));
    }
    if (wrong > 1) std::printf("  %s: %zu pairs are wrong\n", integer_functions[f].name, wrong);
  }
  sycl::free(values, queue);
  sycl::free(numbers, queue);
  sycl::free(out, queue);
}

}  // namespace

TEST("functions of two floats over all pairs of special values") { check_pairs<float>(); }
TEST("functions of two doubles over all pairs of special values") { check_pairs<double>(); }
TEST("functions of floats and integers over special values") { check_integers<float>(); }
TEST("functions of doubles and integers over special values") { check_integers<double>(); }

E2E_MAIN
