/// Tests the accuracy of the math functions on the device. The host's long double functions compute the expected
/// results.
#include <bit>
#include <limits>

#include "check.hpp"

namespace {

/// Returns the distance of `got` from the exact value, in units of the last place of the exact value rounded to Value.
template <class Value>
double ulps(Value got, long double exact) {
  const auto rounded = static_cast<Value>(exact);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e9;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const int least = std::numeric_limits<Value>::min_exponent;
  const long double unit = std::ldexp(1.0L, std::max(exponent, least) - std::numeric_limits<Value>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit);
}

template <class Value, class Device, class Exact>
void check_unary(const char* name, double least, double most, double allowed, Device device, Exact exact) {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 4099;
  const auto values = e2e::random_values<Value>(count, least, most);
  Value* in = sycl::malloc_shared<Value>(count, queue);
  Value* out = sycl::malloc_shared<Value>(count, queue);
  std::copy(values.begin(), values.end(), in);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = device(in[i]); }).wait();
  double worst = 0;
  Value at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = ulps(out[i], exact(static_cast<long double>(values[i])));
    if (error > worst) worst = error, at = values[i];
  }
  if (worst > allowed) {
    e2e::fail(__FILE__, __LINE__,
              std::string(name) + (sizeof(Value) == 4 ? " float: " : " double: ") + std::to_string(worst) + " ulp at " +
                  std::to_string(at));
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

// Tests the sycl:: function and the function of <cmath>, which users may call directly, in float and double. SYCL
// 2020 4.17.5 allows errors of a few ulp. The limits below are those that Sinter promises on the CPU.
#define CHECK_UNARY(function, least, most, allowed)                                         \
  check_unary<float>(                                                                       \
      "sycl::" #function, least, most, allowed, [](float x) { return sycl::function(x); },  \
      [](long double x) { return std::function(x); });                                      \
  check_unary<double>(                                                                      \
      "sycl::" #function, least, most, allowed, [](double x) { return sycl::function(x); }, \
      [](long double x) { return std::function(x); });                                      \
  check_unary<float>(                                                                       \
      "std::" #function, least, most, allowed, [](float x) { return std::function(x); },    \
      [](long double x) { return std::function(x); });                                      \
  check_unary<double>(                                                                      \
      "std::" #function, least, most, allowed, [](double x) { return std::function(x); },   \
      [](long double x) { return std::function(x); })

} // namespace

TEST("correctly rounded functions are exact") {
  CHECK_UNARY(sqrt, 0, 1000, 0.5001);
  CHECK_UNARY(fabs, -1000, 1000, 0);
  CHECK_UNARY(floor, -1000, 1000, 0);
  CHECK_UNARY(ceil, -1000, 1000, 0);
  CHECK_UNARY(trunc, -1000, 1000, 0);
  CHECK_UNARY(rint, -1000, 1000, 0);
  CHECK_UNARY(round, -1000, 1000, 0);
}

TEST("exponentials and logarithms stay within the limits of SYCL") {
  CHECK_UNARY(exp, -80, 80, 3);
  CHECK_UNARY(exp, -104, -80, 3);  // results are denormal floats at the lower end
  CHECK_UNARY(exp, 80, 88.7, 3);
  CHECK_UNARY(exp2, -100, 100, 3);
  CHECK_UNARY(expm1, -5, 5, 3);
  CHECK_UNARY(log, 1e-6, 1e6, 3);
  CHECK_UNARY(log, 0.5, 2, 3);
  CHECK_UNARY(log, 1e-45, 1e-38, 3);
  CHECK_UNARY(log2, 1e-6, 1e6, 3);
  CHECK_UNARY(log2, 0.5, 2, 3);
  CHECK_UNARY(log10, 1e-6, 1e6, 3);
  CHECK_UNARY(log10, 0.5, 2, 3);
  CHECK_UNARY(log1p, -0.9, 1000, 2);
  CHECK_UNARY(cbrt, -1000, 1000, 4);  // for doubles, kernels call libm's cbrt
  const auto exact_cbrt = [](long double x) { return std::cbrt(x); };
  check_unary<float>("sycl::cbrt", -1000, 1000, 2, [](float x) { return sycl::cbrt(x); }, exact_cbrt);
  check_unary<double>("sycl::cbrt", -1000, 1000, 2, [](double x) { return sycl::cbrt(x); }, exact_cbrt);
}

TEST("trigonometric and hyperbolic functions stay within the limits of SYCL") {
  CHECK_UNARY(sin, -20, 20, 4);
  CHECK_UNARY(cos, -20, 20, 4);
  CHECK_UNARY(tan, -1.5, 1.5, 5);
  CHECK_UNARY(asin, -1, 1, 4);
  CHECK_UNARY(acos, -1, 1, 4);
  CHECK_UNARY(atan, -100, 100, 5);
  CHECK_UNARY(sinh, -10, 10, 4);
  CHECK_UNARY(cosh, -10, 10, 4);
  CHECK_UNARY(tanh, -10, 10, 5);
}

TEST("gamma functions and their logarithms have small errors") {
  CHECK_UNARY(tgamma, 0.01, 35, 16);
  CHECK_UNARY(tgamma, -5, 0.5, 16);
  CHECK_UNARY(tgamma, -42, -5, 16);  // results are denormal floats at the lower end
  CHECK_UNARY(lgamma, 0.01, 1000, 16);
  CHECK_UNARY(lgamma, 0.9, 2.1, 16);  // the roots are 1 and 2
  CHECK_UNARY(lgamma, 1e6, 1e30, 16);
  CHECK_UNARY(lgamma, -1.9, 0.01, 16);  // there are no roots
  // Zeros, infinities, the roots, numbers whose results are too large or too small, and the neighbours of roots and
  // poles.
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,    -0.0f,  infinity, -infinity, -1.0f, -2.0f, -1e10f, 1.0f, 2.0f, 36.0f, 3e38f, -3e38f,
                          -100.5f, 1e-45f, -1e-45f,  std::numeric_limits<float>::quiet_NaN(), 0x1.fffffep-1f,
                          0x1.000002p+0f, 0x1.fffffep+0f, 0x1.000002p+1f, -0x1.7ffffep+1f, -0x1.800002p+1f,
                          -0x1.3a7fc8p+1f, -0x1.5fb414p+1f, -0x1.5fb416p+1f, -10.5f, -11.5f, 8.5f, 0.5f, 35.0f};
  constexpr std::size_t count = 64;
  sycl::queue queue = e2e::make_queue();
  const bool is_cpu = queue.get_device().is_cpu();
  float* in = sycl::malloc_shared<float>(count, queue);
  float* out = sycl::malloc_shared<float>(2 * count, queue);
  for (std::size_t i = 0; i < count; ++i) in[i] = values[i % std::size(values)];
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      out[2 * i] = sycl::tgamma(in[i]);
                      out[2 * i + 1] = sycl::lgamma(in[i]);
                    })
      .wait();
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const double x = in[i / 2], exact = i % 2 == 0 ? std::tgamma(x) : std::lgamma(x);
    // Near the roots between negative integers, libraries of GPUs limit only the absolute error.
    const bool is_near = (ulps(out[i], exact) <= 16 && std::signbit(out[i]) == std::signbit(exact)) ||
                         (!is_cpu && std::fabs(out[i] - exact) < 1e-5);
    CHECK(std::isnan(exact) ? std::isnan(out[i]) : is_near);
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST("logarithms of zeros, infinities, negative numbers and ones") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,   -0.0f, infinity, -infinity, -1.0f, 1.0f, std::numeric_limits<float>::quiet_NaN(),
                          -1e-45f};
  constexpr std::size_t count = 64;  // fills whole vectors
  sycl::queue queue = e2e::make_queue();
  float* in = sycl::malloc_shared<float>(count, queue);
  float* out = sycl::malloc_shared<float>(2 * count, queue);
  for (std::size_t i = 0; i < count; ++i) in[i] = values[i % std::size(values)];
  for (std::size_t used : {count, std::size_t{1}}) {
    std::fill_n(out, 2 * count, -7.0f);
    queue
        .parallel_for(sycl::range<1>(used),
                      [=](sycl::id<1> i) {
                        out[2 * i] = sycl::log(in[i]);
                        out[2 * i + 1] = sycl::log10(in[i]);
                      })
        .wait();
    for (std::size_t i = 0; i < 2 * used; ++i) {
      const float expected = i % 2 == 0 ? std::log(in[i / 2]) : std::log10(in[i / 2]);
      CHECK(std::isnan(expected) ? std::isnan(out[i]) : out[i] == expected);
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST("exponentials of what is too large, too small or no number") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,     -0.0f,    infinity, -infinity, 88.722839f, 88.72284f, 89.0f, 3e38f,
                          -103.97f, -104.0f, -105.0f,  -3e38f,    1e-45f,     -1e-45f,   std::nanf("")};
  constexpr std::size_t count = 4 * std::size(values) + 1;
  sycl::queue queue = e2e::make_queue();
  float* in = sycl::malloc_shared<float>(count, queue);
  float* out = sycl::malloc_shared<float>(count, queue);
  for (std::size_t i = 0; i < count; ++i) in[i] = values[i % std::size(values)];
  for (std::size_t used : {count, std::size_t{1}}) {
    std::fill_n(out, count, -7.0f);
    queue.parallel_for(sycl::range<1>(used), [=](sycl::id<1> i) { out[i] = sycl::exp(in[i]); }).wait();
    for (std::size_t i = 0; i < used; ++i) {
      CHECK(ulps(out[i], std::exp(static_cast<long double>(in[i]))) <= 3);
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST("functions of two and three arguments agree with the host") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 1003;
  const auto a = e2e::random_values<float>(count, 0.01, 20), b = e2e::random_values<float>(count, -3, 3);
  struct results {
    float pow, atan2, hypot, fmod, fmax, fmin, fma, mix, clamp, copysign, ldexp;
  };
  float* x = sycl::malloc_shared<float>(count, queue);
  float* y = sycl::malloc_shared<float>(count, queue);
  results* out = sycl::malloc_shared<results>(count, queue);
  std::copy(a.begin(), a.end(), x);
  std::copy(b.begin(), b.end(), y);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      out[i] = {
                          sycl::pow(x[i], y[i]),       sycl::atan2(y[i], x[i]),      sycl::hypot(x[i], y[i]),
                          sycl::fmod(x[i], y[i]),      sycl::fmax(x[i], y[i]),       sycl::fmin(x[i], y[i]),
                          sycl::fma(x[i], y[i], 1.0f), sycl::mix(x[i], y[i], 0.25f), sycl::clamp(x[i], 1.0f, 10.0f),
                          sycl::copysign(x[i], y[i]),  std::ldexp(x[i], 3)};
                    })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    const long double p = a[i], q = b[i];
    CHECK(ulps(out[i].pow, std::pow(p, q)) <= 16);
    CHECK(ulps(out[i].atan2, std::atan2(q, p)) <= 6);
    CHECK(ulps(out[i].hypot, std::hypot(p, q)) <= 4);
    CHECK_EQUAL(out[i].fmod, std::fmod(a[i], b[i]));
    CHECK_EQUAL(out[i].fmax, std::fmax(a[i], b[i]));
    CHECK_EQUAL(out[i].fmin, std::fmin(a[i], b[i]));
    CHECK_EQUAL(out[i].fma, std::fma(a[i], b[i], 1.0f));
    CHECK(ulps(out[i].mix, p + (q - p) * 0.25L) <= 64);  // digits may cancel: the specification sets no limit for this
    CHECK_EQUAL(out[i].clamp, std::fmin(std::fmax(a[i], 1.0f), 10.0f));
    CHECK_EQUAL(out[i].copysign, std::copysign(a[i], b[i]));
    CHECK_EQUAL(out[i].ldexp, a[i] * 8);
  }
  sycl::free(x, queue);
  sycl::free(y, queue);
  sycl::free(out, queue);
}

TEST("special values behave as IEEE 754 says") {
  sycl::queue queue = e2e::make_queue();
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  float* data = sycl::malloc_shared<float>(8, queue);
  queue
      .single_task([=] {
        data[0] = sycl::sqrt(-1.0f);
        data[1] = sycl::fmax(nan, 2.0f);
        data[2] = sycl::exp(-infinity);
        data[3] = sycl::log(0.0f);
        data[4] = 1.0f / -infinity;
        data[5] = sycl::fabs(-0.0f);
        data[6] = sycl::isnan(nan) ? 1.0f : 0.0f;
        data[7] = sycl::isinf(infinity) ? 1.0f : 0.0f;
      })
      .wait();
  CHECK(std::isnan(data[0]));
  CHECK_EQUAL(data[1], 2.0f);
  CHECK_EQUAL(data[2], 0.0f);
  CHECK_EQUAL(data[3], -infinity);
  CHECK(std::signbit(data[4]) && data[4] == 0);
  CHECK(!std::signbit(data[5]));
  CHECK_EQUAL(data[6], 1.0f);
  CHECK_EQUAL(data[7], 1.0f);
  sycl::free(data, queue);
}

TEST("integer functions agree with the host") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 257;
  std::vector<std::uint32_t> values(count);
  for (auto& value : values) value = e2e::random()();
  values[0] = 0;
  std::uint32_t* in = sycl::malloc_shared<std::uint32_t>(count, queue);
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(count * 4, queue);
  std::copy(values.begin(), values.end(), in);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      out[i * 4] = sycl::popcount(in[i]);
                      out[i * 4 + 1] = sycl::clz(in[i]);
                      out[i * 4 + 2] = sycl::min(in[i], 1000u) + sycl::max(in[i], 77u);
                      out[i * 4 + 3] = sycl::ctz(in[i]);
                    })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(out[i * 4], static_cast<std::uint32_t>(std::popcount(values[i])));
    CHECK_EQUAL(out[i * 4 + 1], static_cast<std::uint32_t>(std::countl_zero(values[i])));
    CHECK_EQUAL(out[i * 4 + 2], std::min(values[i], 1000u) + std::max(values[i], 77u));
    CHECK_EQUAL(out[i * 4 + 3], static_cast<std::uint32_t>(std::countr_zero(values[i])));
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

/// Dividends just below multiples of the divisor, whose quotients are rounded up to the next integer, and
/// quotients of all sizes.
template <class T>
void check_remainders() {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 20003;
  std::mt19937_64 random(5);
  T* x = sycl::malloc_shared<T>(count, queue);
  T* y = sycl::malloc_shared<T>(count, queue);
  T* out = sycl::malloc_shared<T>(count, queue);
  for (std::size_t i = 0; i < count; ++i) {
    y[i] = std::ldexp(static_cast<T>(random() % 1000000 + 1), static_cast<int>(random() % 60) - 30);
    x[i] = i % 2 == 0 ? std::nextafter(y[i] * static_cast<T>(random() % 1000000), static_cast<T>(i % 4))
                      : std::ldexp(static_cast<T>(random() % 1000000), static_cast<int>(random() % 90) - 30);
    if (i % 3 == 0) x[i] = -x[i];
    if (i % 5 == 0) y[i] = -y[i];
  }
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = sycl::fmod(x[i], y[i]); }).wait();
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(out[i], std::fmod(x[i], y[i]));
    CHECK_EQUAL(std::signbit(out[i]), std::signbit(x[i]));
  }
  sycl::free(x, queue);
  sycl::free(y, queue);
  sycl::free(out, queue);
}

TEST("remainders are exact for quotients of all sizes") {
  check_remainders<float>();
  check_remainders<double>();
}

E2E_MAIN
