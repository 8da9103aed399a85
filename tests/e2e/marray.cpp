/// sycl::marray (SYCL 2020 4.14.3) on the device against scalar code.
#include "element_check.hpp"

namespace {

template <class Values>
void check_arithmetic() {
  using T = typename Values::value_type;
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
  e2e::check_elements<Values>(
      "!", [](Values a, Values b) { return e2e::several<decltype(!a), 2>{{!a, !(a - b)}}; },
      [](T a, T b) { return e2e::several<int, 2>{{int(!a), int(!T(a - b))}}; });
  e2e::check_elements<Values>(
      "signs, ++ and --",
      [](Values a, Values b) {
        Values c = a, d = a, e = b, f = b;
        return e2e::several<Values, 10>{{+a, -b, c++, ++d, e--, --f, c, d, e, f}};
      },
      [](T a, T b) {
        const T more = static_cast<T>(a + 1), less = static_cast<T>(b - 1);
        return e2e::several<T, 10>{{a, T(-b), a, more, b, less, more, more, less, less}};
      });
}

template <class Values>
void check_integer() {
  using T = typename Values::value_type;
  check_arithmetic<Values>();
  BINARY(%);
  BINARY(&);
  BINARY(|);
  BINARY(^);
  e2e::check_elements<Values>(
      "shifts and ~",
      [](Values a, Values b) {
        Values c = a, d = b;
        c <<= b & T(3), d >>= T(1);
        return e2e::several<Values, 6>{{a << T(2), b >> (a & T(3)), T(1) << (b & T(7)), ~a, c, d}};
      },
      [](T a, T b) {
        return e2e::several<T, 6>{{T(a << 2), T(b >> (a & 3)), T(1 << (b & 7)), T(~a), T(a << (b & 3)), T(b >> 1)}};
      },
      0, 30);
}

}  // namespace

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
