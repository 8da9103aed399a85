// The program has using-directives for std and sycl, and includes <cmath>. No call of a math function may be ambiguous.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

using namespace std;
using namespace sycl;

namespace {

template <class T>
double of_one(T x) {
  double sum =
      acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + cbrt(x) + ceil(x) + cos(x) + cosh(x) + erf(x) + erfc(x);
  sum +=
      exp(x) + exp2(x) + expm1(x) + fabs(x) + floor(x) + lgamma(x) + log(x) + log10(x) + log1p(x) + log2(x) + logb(x);
  sum +=
      rint(x) + round(x) + sin(x) + sinh(x) + sqrt(x) + tan(x) + tanh(x) + tgamma(x) + trunc(x) + rsqrt(x) + exp10(x);
  sum += ilogb(x) + ldexp(x, 1) + isnan(x) + isinf(x) + signbit(x);
  return sum + double(min(x, x)) + double(max(x, x)) + double(clamp(x, x, x));
}
template <class T>
double of_integer(T x) {
  return of_one(x) + double(abs(x)) + double(popcount(x)) + double(sycl::clz(x)) + double(mul_hi(x, x));
}
template <class T, class U>
double of_two(T x, U y) {
  double sum = pow(x, y) + fmin(x, y) + fmax(x, y) + hypot(x, y) + atan2(x, y) + copysign(x, y) + fdim(x, y);
  return sum + fmod(x, y) + remainder(x, y) + nextafter(x, y) + fma(x, y, x);
}
template <class T>
double of_all(T x) {
  return of_integer(x) + of_two(x, 1) + of_two(x, 1u) + of_two(x, 1L) + of_two(x, 'a') + of_two(1, x) + of_two(x, 1.0) +
         of_two(x, 1.0f) + of_two(1.0f, x) + of_two(1.0, x);
}

} // namespace

#include "check.hpp"

TEST("math functions of all integers, alone and mixed, under both using directives") {
  const double wanted = of_all(1);
  CHECK(of_all(1u) == wanted - double(sycl::mul_hi(1, 1)) + double(sycl::mul_hi(1u, 1u)));
  CHECK(std::isfinite(of_all(1L) + of_all(1UL) + of_all(1LL) + of_all(1ULL)));
  CHECK(std::isfinite(of_all(static_cast<short>(1)) + of_all(static_cast<unsigned short>(1))));
  CHECK(std::isfinite(of_all('\1') + of_all(static_cast<signed char>(1)) + of_all(static_cast<unsigned char>(1))));
  CHECK(std::isfinite(of_one(1.0f) + of_one(1.0) + of_two(1.0f, 1.0) + of_two(1.0f, 1.0f) + of_two(1.0, 1.0)));
}

TEST("they give in kernels what they give on the host") {
  queue q = e2e::make_queue();
  unsigned* in = malloc_shared<unsigned>(100, q);
  double* out = malloc_shared<double>(200, q);
  for (unsigned i = 0; i < 100; ++i) in[i] = i + 1;
  q.parallel_for(sycl::range<1>(100), [=](id<1> i) {
     out[2 * i] = log2(in[i]) + sqrt(in[i]) + max(in[i], 7u);
     out[2 * i + 1] = sycl::max(static_cast<float>(in[i]), 50) + sycl::pow(2.0f, 3) +
                      sycl::min<int, int>(static_cast<int>(in[i]), 4);
   }).wait();
  for (unsigned i = 0; i < 100; ++i) {
    const double x = in[i];
    CHECK(std::abs(out[2 * i] - (std::log2(x) + std::sqrt(x) + std::max(x, 7.0))) < 1e-9);
    CHECK(out[2 * i + 1] == std::max(x, 50.0) + 8 + std::min(x, 4.0));
  }
  sycl::free(in, q);
  sycl::free(out, q);
}

E2E_MAIN
