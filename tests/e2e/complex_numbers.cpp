/// std::complex in kernels: operators and functions give the results of the host's library.

#include <sycl/sycl.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

template <class T>
using number = std::complex<T>;

/// Random numbers of all sizes; with `with_special`, some are zeros, infinities and NaNs.
template <class T>
std::vector<number<T>> some_numbers(std::size_t count, bool with_special, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> one(-1, 1);
  constexpr T infinity = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
  constexpr T special[] = {0, T(-0.0), 1, -1, infinity, -infinity, none, T(0.5), T(1e30), T(-1e30), 100, -100};
  const auto part = [&]() -> T {
    if (with_special && random() % 3 != 0) return special[random() % std::size(special)];
    return one(random) * std::exp2(T(random() % 12) - 6);
  };
  std::vector<number<T>> result(count);
  for (number<T>& each : result) each = {part(), part()};
  return result;
}

/// A complex number is infinite if one of its parts is, whatever the other part is. The standard leaves some signs
/// open (C99, annex G).
template <class T>
bool is_same(number<T> found, number<T> expected) {
  const auto is_infinite = [](number<T> z) { return std::isinf(z.real()) || std::isinf(z.imag()); };
  const auto is_nan = [](number<T> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  if (is_infinite(expected) || is_infinite(found)) return is_infinite(expected) && is_infinite(found);
  if (is_nan(expected) || is_nan(found)) return is_nan(expected) && is_nan(found);
  return std::abs(found - expected) <= 64 * std::numeric_limits<T>::epsilon() * std::abs(expected) +
                                           8 * std::numeric_limits<T>::min();
}

/// Compares function(z, w) on the device with the host's result.
template <class T, class Function>
void check_numbers(const char* name, bool with_special, Function function) {
  auto queue = e2e::make_queue();
  if (sizeof(T) == 8 && !queue.get_device().has(sycl::aspect::fp64)) return;
  constexpr std::size_t count = 603;
  const std::vector<number<T>> z = some_numbers<T>(count, with_special, 5), w = some_numbers<T>(count, with_special, 6);
  std::vector<number<T>> found(count);
  {
    sycl::buffer<number<T>> first(z.data(), count), second(w.data(), count), results(found.data(), count);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor a(first, handler, sycl::read_only), b(second, handler, sycl::read_only);
      sycl::accessor to(results, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = function(a[i], b[i]); });
    });
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const number<T> expected = function(z[i], w[i]);
    if (is_same(found[i], expected) || wrong++ != 0) continue;
    std::printf("%s, %zu bytes: ", name, sizeof(T));
    for (const number<T> each : {z[i], w[i], found[i], expected}) {
      std::printf("(%g, %g) ", static_cast<double>(each.real()), static_cast<double>(each.imag()));
    }
    std::puts("are its operands, what it gives and what it should");
  }
  CHECK_EQUAL(wrong, 0u);
}

#define CHECK_NUMBERS(name, ...)                                                       \
  do {                                                                                 \
    const auto function = [](auto z, [[maybe_unused]] auto w) { return __VA_ARGS__; }; \
    check_numbers<float>(name, false, function);                                       \
    check_numbers<double>(name, false, function);                                      \
    check_numbers<float>(name ", special", true, function);                            \
    check_numbers<double>(name ", special", true, function);                           \
  } while (false)

}  // namespace

TEST("products and quotients, with infinities") {
  CHECK_NUMBERS("sum", z + w);
  CHECK_NUMBERS("product", z * w);
  CHECK_NUMBERS("quotient", z / w);
}

TEST("exponentials, logarithms and roots") {
  CHECK_NUMBERS("exp", std::exp(z));
  CHECK_NUMBERS("log", std::log(z));
  CHECK_NUMBERS("sqrt", std::sqrt(z));
  CHECK_NUMBERS("length and angle", decltype(z)(std::abs(z), std::arg(z)));
  CHECK_NUMBERS("proj", std::proj(z));
}

TEST("circular and hyperbolic functions") {
  CHECK_NUMBERS("sinh", std::sinh(z));
  CHECK_NUMBERS("cosh", std::cosh(z));
  CHECK_NUMBERS("tanh", std::tanh(z));
  CHECK_NUMBERS("sin", std::sin(z));
  CHECK_NUMBERS("cos", std::cos(z));
  CHECK_NUMBERS("tan", std::tan(z));
}

TEST("their inverse functions") {
  CHECK_NUMBERS("asinh", std::asinh(z));
  CHECK_NUMBERS("acosh", std::acosh(z));
  CHECK_NUMBERS("atanh", std::atanh(z));
  CHECK_NUMBERS("asin", std::asin(z));
  CHECK_NUMBERS("acos", std::acos(z));
  CHECK_NUMBERS("atan", std::atan(z));
}

TEST("powers and polar forms of moderate numbers") {
  // The exponent multiplies the rounding error of the logarithm, so the error is only a few units in the last place if
  // the exponent is small.
  const auto power = [](auto z, auto w) {
    using real = typename decltype(z)::value_type;
    const real length = std::abs(w);
    return std::pow(z, length > 2 ? w / length : w) * std::polar(length, std::arg(z)) + std::conj(z);
  };
  check_numbers<float>("pow", false, power);
  check_numbers<double>("pow", false, power);
}

TEST("a sum of products in each work-item") {
  constexpr std::size_t rows = 37, columns = 41;
  const auto matrix = some_numbers<float>(rows * columns, false, 7);
  const auto vector = some_numbers<float>(columns, false, 8);
  std::vector<number<float>> found(rows);
  auto queue = e2e::make_queue();
  {
    sycl::buffer<number<float>, 2> a(matrix.data(), sycl::range(rows, columns));
    sycl::buffer<number<float>> x(vector.data(), columns), y(found.data(), rows);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor m(a, handler, sycl::read_only);
      sycl::accessor v(x, handler, sycl::read_only);
      sycl::accessor to(y, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> row) {
        number<float> sum = 0;
        for (std::size_t k = 0; k < columns; ++k) sum += m[row[0]][k] * v[k];
        to[row] = sum;
      });
    });
  }
  for (std::size_t row = 0; row < rows; ++row) {
    number<double> sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      const number<double> product = number<double>(matrix[row * columns + k]) * number<double>(vector[k]);
      sum += product, size += std::abs(product);
    }
    CHECK(std::abs(number<double>(found[row]) - sum) <= 1e-5 * size);
  }
}

E2E_MAIN
