// Integer divisions by 0, and of the lowest number by -1, give an unspecified number and do not end the program, like
// on GPUs. All other divisions in the same kernels are exact, also in vector code and in loops.
#include <limits>

#include "check.hpp"

namespace {

template <class T>
T number(std::mt19937& random) {
  constexpr T specials[] = {0, 1, 2, 3, T(-1), T(-2), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  const auto draw = random();
  if (draw % 3 == 0) return specials[draw / 3 % std::size(specials)];
  return static_cast<T>((std::uint64_t{random()} << 32 | random()) >> draw % (8 * sizeof(T)));
}

/// Whether C++ defines the result of the division.
template <class T>
bool is_defined(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1));
}

template <class T>
void check_divisions() {
  sycl::queue queue;
  std::mt19937 random(11);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{61}, std::size_t{4096}}) {
    std::vector<T> a(count), b(count), quotients(count), remainders(count), rows(count), guarded(count, T(7));
    for (T& each : a) each = number<T>(random);
    for (T& each : b) each = number<T>(random);
    const T width = count % 2 == 0 ? T(0) : T(13);
    if (count != 0) {
      sycl::buffer in_a(a), in_b(b), out_q(quotients), out_r(remainders), out_rows(rows), out_g(guarded);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor x(in_a, handler, sycl::read_only), y(in_b, handler, sycl::read_only);
        sycl::accessor q(out_q, handler, sycl::write_only), r(out_r, handler, sycl::write_only);
        handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
          q[i] = static_cast<T>(x[i] / y[i]);
          r[i] = static_cast<T>(x[i] % y[i]);
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor x(in_a, handler, sycl::read_only);
        sycl::accessor g(out_rows, handler, sycl::write_only);
        const std::size_t group = count % 64 == 0 ? 64 : 1;
        handler.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0);
          T sum = 0;
          for (int k = 0; k < 3; ++k) sum = static_cast<T>(sum ^ static_cast<T>(x[i] / width) ^ static_cast<T>(k));
          g[i] = sum;
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor x(in_a, handler, sycl::read_only), y(in_b, handler, sycl::read_only);
        sycl::accessor g(out_g, handler, sycl::read_write);
        handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
          if (y[i] > 0) g[i] = static_cast<T>(x[i] / y[i] + x[i] % y[i]);
        });
      });
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (is_defined(a[i], b[i])) {
        CHECK_EQUAL(quotients[i], static_cast<T>(a[i] / b[i]));
        CHECK_EQUAL(remainders[i], static_cast<T>(a[i] % b[i]));
      }
      if (is_defined(a[i], width)) {
        const T once = static_cast<T>(a[i] / width);
        CHECK_EQUAL(rows[i], static_cast<T>(once ^ T(3)));
      }
      CHECK_EQUAL(guarded[i], b[i] > 0 ? static_cast<T>(a[i] / b[i] + a[i] % b[i]) : T(7));
    }
  }
}

}  // namespace

TEST("divisions of ints") { check_divisions<int>(); }
TEST("divisions of unsigned ints") { check_divisions<unsigned>(); }
TEST("divisions of longs") { check_divisions<long>(); }
TEST("divisions of unsigned longs") { check_divisions<unsigned long>(); }
TEST("divisions of shorts") { check_divisions<short>(); }
TEST("divisions of chars") { check_divisions<signed char>(); }

E2E_MAIN
