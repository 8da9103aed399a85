/// sycl::marray (SYCL 2020 4.14.3) on the device against scalar code.
#include "check.hpp"

namespace {

constexpr std::size_t count = 101;

/// Several results of one kernel.
template <class Value, int Count>
struct several {
  Value values[Count];
};

/// `work(a, b)` for many pairs of arrays on the device, whose results must be what `scalar` gives for each element.
template <class Array, class Work, class Scalar>
void check_elements(const char* name, Work work, Scalar scalar, double least = -100, double most = 100) {
  using T = typename Array::value_type;
  using result = decltype(work(Array{}, Array{}));
  const std::size_t size = Array::size();
  sycl::queue queue = e2e::make_queue();
  auto a = e2e::random_values<T>(count * size, least, most), b = e2e::random_values<T>(count * size, least, most);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] == T(0)) b[i] = T(3);
    if (i % 5 == 0) a[i] = b[i];
  }
  T* in = sycl::malloc_shared<T>(2 * count * size, queue);
  std::copy(a.begin(), a.end(), in);
  std::copy(b.begin(), b.end(), in + count * size);
  result* out = sycl::malloc_shared<result>(count, queue);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      Array x, y;
                      for (std::size_t k = 0; k < Array::size(); ++k) {
                        x[k] = in[i * Array::size() + k];
                        y[k] = in[(count + i) * Array::size() + k];
                      }
                      out[i] = work(x, y);
                    })
      .wait();
  for (std::size_t i = 0; i < count * size; ++i) {
    const auto expected = scalar(a[i], b[i]);
    for (std::size_t form = 0; form < std::size(expected.values); ++form) {
      if (out[i / size].values[form][i % size] == expected.values[form]) continue;
      e2e::fail(__FILE__, __LINE__,
                std::string(name) + ", form " + std::to_string(form) + ", of " + std::to_string(size) +
                    " elements of " + std::to_string(sizeof(T)) + " bytes differs at " + std::to_string(i));
      i = count * size - 1;
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

// Alone, with assignment, and with a scalar on either side.
#define BINARY(op)                                                      \
  check_elements<Array>(                                                \
      #op,                                                              \
      [](Array a, Array b) {                                            \
        Array c = a, d = a;                                             \
        c op##= b;                                                     \
        d op##= T(3);                                                  \
        return several<Array, 5>{{a op b, c, d, a op T(3), T(3) op b}}; \
      },                                                                \
      [](T a, T b) { return several<T, 5>{{T(a op b), T(a op b), T(a op T(3)), T(a op T(3)), T(T(3) op b)}}; })
#define COMPARE(op)                                                                                       \
  check_elements<Array>(                                                                                  \
      #op, [](Array a, Array b) { return several<decltype(a op b), 3>{{a op b, a op T(3), T(3) op b}}; }, \
      [](T a, T b) { return several<int, 3>{{int(a op b), int(a op T(3)), int(T(3) op b)}}; })

template <class Array>
void check_arithmetic() {
  using T = typename Array::value_type;
  BINARY(+);
  BINARY(-);
  BINARY(*);
  BINARY(/);
  COMPARE(==);
  COMPARE(!=);
  COMPARE(<);
  COMPARE(>);
  COMPARE(<=);
  COMPARE(>=);
  COMPARE(&&);
  COMPARE(||);
  check_elements<Array>(
      "!", [](Array a, Array b) { return several<decltype(!a), 2>{{!a, !(a - b)}}; },
      [](T a, T b) { return several<int, 2>{{int(!a), int(!T(a - b))}}; });
  check_elements<Array>(
      "signs, ++ and --",
      [](Array a, Array b) {
        Array c = a, d = a, e = b, f = b;
        return several<Array, 10>{{+a, -b, c++, ++d, e--, --f, c, d, e, f}};
      },
      [](T a, T b) {
        const T more = static_cast<T>(a + 1), less = static_cast<T>(b - 1);
        return several<T, 10>{{a, T(-b), a, more, b, less, more, more, less, less}};
      });
}

template <class Array>
void check_integer() {
  using T = typename Array::value_type;
  check_arithmetic<Array>();
  BINARY(%);
  BINARY(&);
  BINARY(|);
  BINARY(^);
  check_elements<Array>(
      "shifts and ~",
      [](Array a, Array b) {
        Array c = a, d = b;
        c <<= b & T(3), d >>= T(1);
        return several<Array, 6>{{a << T(2), b >> (a & T(3)), T(1) << (b & T(7)), ~a, c, d}};
      },
      [](T a, T b) {
        return several<T, 6>{{T(a << 2), T(b >> (a & 3)), T(1 << (b & 7)), T(~a), T(a << (b & 3)), T(b >> 1)}};
      },
      0, 30);
}

} // namespace

TEST("operators of integer arrays") {
  check_integer<sycl::mint3>();
  check_integer<sycl::marray<unsigned char, 7>>();
}
TEST("operators of floating-point arrays") {
  check_arithmetic<sycl::marray<float, 5>>();
  check_arithmetic<sycl::mdouble2>();
  check_arithmetic<sycl::mhalf4>();
}

TEST("arrays are made of parts, iterate, and know their type") {
  sycl::queue queue = e2e::make_queue();
  int* out = sycl::malloc_shared<int>(8, queue);
  queue
      .single_task([=] {
        const sycl::mint2 two(1, 2);
        sycl::marray<int, 6> many(two, 3, sycl::marray<short, 2>(4, 5), 6L);
        for (int& element : many) element *= 10;
        int sum = 0;
        for (int element : many) sum += element;
        std::size_t at = 0;
        for (auto place = many.begin(); place != many.end(); ++place) out[at++] = *place;
        many = 4;
        out[6] = sum + many[5];
        out[7] = sycl::marray<int, 1>(9) + two[0];
      })
      .wait();
  const std::vector<int> expected = {10, 20, 30, 40, 50, 60, 214, 10};
  CHECK_ALL_EQUAL(std::vector<int>(out, out + 8), expected);
  sycl::free(out, queue);
  static_assert(std::is_same_v<decltype(sycl::marray{1.0, 2.0}), sycl::mdouble2>);
  static_assert(std::is_same_v<decltype(sycl::mfloat3() < 1.0f), sycl::mbool3>);
  static_assert(sizeof(sycl::mfloat3) == 12 && std::is_trivially_copyable_v<sycl::mhalf3>);
}

E2E_MAIN
