/// Integer functions (SYCL 2020 4.17.6) of all widths, against plain arithmetic in 128 bits.
#include "math_check.hpp"

namespace {

__extension__ typedef __int128 wide;

template <class T>
constexpr wide bits = static_cast<wide>(1) << (sizeof(T) * 8);
template <class T>
T saturated(wide x) {
  const wide least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  return static_cast<T>(x < least ? least : x > most ? most : x);
}
/// Divides and rounds down, also below zero.
wide floor_divided(wide x, wide by) { return x >= 0 ? x / by : -((-x + by - 1) / by); }
template <class T>
int leading_zeros(T x) {
  int count = 0;
  for (int i = int(sizeof(T) * 8) - 1; i >= 0 && ((x >> i) & 1) == 0; --i) ++count;
  return count;
}
template <class T>
int trailing_zeros(T x) {
  int count = 0;
  while (count < int(sizeof(T) * 8) && ((x >> count) & 1) == 0) ++count;
  return count;
}
template <class T>
int ones(T x) {
  int count = 0;
  for (int i = 0; i < int(sizeof(T) * 8); ++i) count += static_cast<int>((x >> i) & 1);
  return count;
}

#define UNARY(function, reference) \
  e2e::check_exact(#function, [](const auto& x) { return sycl::function(x); }, [](T x) { return T(reference); }, x)
#define BINARY(function, reference)                                                 \
  e2e::check_exact(                                                                 \
      #function, [](const auto& x, const auto& y) { return sycl::function(x, y); }, \
      [](wide x, wide y) { return T(reference); }, x, y)
#define TERNARY(function, reference)                                                                  \
  e2e::check_exact(                                                                                   \
      #function, [](const auto& x, const auto& y, const auto& z) { return sycl::function(x, y, z); }, \
      [](wide x, wide y, wide z) { return T(reference); }, x, y, z)

template <class T>
void check_all() {
  auto x = e2e::random_integers<T>(), y = e2e::random_integers<T>();
  const auto z = e2e::random_integers<T>();
  UNARY(clz, leading_zeros(x));
  UNARY(ctz, trailing_zeros(x));
  UNARY(popcount, ones(x));
  BINARY(add_sat, saturated<T>(x + y));
  BINARY(sub_sat, saturated<T>(x - y));
  BINARY(hadd, floor_divided(x + y, 2));
  BINARY(rhadd, floor_divided(x + y + 1, 2));
  BINARY(max, x < y ? y : x);
  BINARY(min, y < x ? y : x);
  if constexpr (sizeof(T) < 8 || std::is_signed_v<T>) {
    BINARY(mul_hi, floor_divided(x * y, bits<T>));
    TERNARY(mad_hi, floor_divided(x * y, bits<T>) + z);
    TERNARY(mad_sat, saturated<T>(x * y + z));
  }
  e2e::check_exact(
      "rotate", [](const auto& a, const auto& n) { return sycl::rotate(a, n); },
      [](T a, T n) {
        const unsigned width = sizeof(T) * 8, count = static_cast<unsigned>(n) % width;
        using unsigned_type = std::make_unsigned_t<T>;
        unsigned_type result = 0;
        for (unsigned i = 0; i < width; ++i) {
          const auto bit = static_cast<unsigned_type>((static_cast<unsigned_type>(a) >> i) & 1u);
          result = static_cast<unsigned_type>(result | (bit << ((i + count) % width)));
        }
        return static_cast<T>(result);
      },
      x, y);
  e2e::check_exact(
      "clamp",
      [](const auto& a, const auto& b, const auto& c) { return sycl::clamp(a, sycl::min(b, c), sycl::max(b, c)); },
      [](T a, T b, T c) { return std::clamp(a, std::min(b, c), std::max(b, c)); }, x, y, z);
  e2e::check_exact(
      "clamp to two values", [](const auto& a) { return sycl::clamp(a, T(3), T(100)); },
      [](T a) { return std::clamp(a, T(3), T(100)); }, x);
  e2e::check_exact(
      "max with one value", [](const auto& a) { return sycl::max(a, T(7)); }, [](T a) { return std::max(a, T(7)); }, x);
  e2e::check_exact(
      "min with one value", [](const auto& a) { return sycl::min(a, T(7)); }, [](T a) { return std::min(a, T(7)); }, x);
  // abs of the lowest number does not fit the type and is undefined.
  for (T& value : x) {
    if (std::is_signed_v<T> && value == std::numeric_limits<T>::min()) value = 5;
  }
  UNARY(abs, x < 0 ? -x : x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const wide difference = static_cast<wide>(x[i]) - static_cast<wide>(y[i]);
    if (difference > std::numeric_limits<T>::max() || -difference > std::numeric_limits<T>::max()) y[i] = x[i];
  }
  BINARY(abs_diff, x < y ? y - x : x - y);
}

template <class T>
void check_24() {
  auto x = e2e::random_integers<T>(), y = e2e::random_integers<T>();
  const auto z = e2e::random_integers<T>();
  // Values and products must fit 24 bits, because the results for larger numbers are undefined or
  // implementation-defined.
  for (T& value : x) value /= 1 << 17;
  for (T& value : y) value /= 1 << 16;
  BINARY(mul24, x * y);
  TERNARY(mad24, x * y + z);
}

template <class High, class Low, class Result>
void check_upsample() {
  e2e::check_exact(
      "upsample", [](const auto& high, const auto& low) { return sycl::upsample(high, low); },
      [](wide high, wide low) { return static_cast<Result>(high * bits<Low> + low); }, e2e::random_integers<High>(),
      e2e::random_integers<Low>());
  static_assert(std::is_same_v<decltype(sycl::upsample(High{}, Low{})), Result>);
}

} // namespace

TEST("functions of 8 and 16 bits") { check_all<std::int8_t>(), check_all<std::uint16_t>(); }
TEST("functions of 32 bits") { check_all<std::int32_t>(), check_all<std::uint32_t>(); }
TEST("functions of 64 bits") { check_all<std::int64_t>(), check_all<std::uint64_t>(); }
TEST("long long and char are integers, too") {
  static_assert(std::is_same_v<decltype(sycl::add_sat(1LL, 2LL)), long long> &&
                sycl::add_sat(char(100), char(100)) == (std::is_signed_v<char> ? 127 : 200) &&
                sycl::add_sat(char(127), char(127)) == (std::is_signed_v<char> ? 127 : 254));
}
TEST("products of 24 bits") { check_24<std::int32_t>(), check_24<std::uint32_t>(); }

TEST("upsample joins a high and a low half") {
  check_upsample<std::int8_t, std::uint8_t, std::int16_t>();
  check_upsample<std::uint8_t, std::uint8_t, std::uint16_t>();
  check_upsample<std::int16_t, std::uint16_t, std::int32_t>();
  check_upsample<std::uint16_t, std::uint16_t, std::uint32_t>();
  check_upsample<std::int32_t, std::uint32_t, std::int64_t>();
  check_upsample<std::uint32_t, std::uint32_t, std::uint64_t>();
}

TEST("high products of unsigned 64 bits") {
  using T = std::uint64_t;
  const auto high = [](T x, T y) {
    // Multiplies in halves of 32 bits.
    const T a = x >> 32, b = x & 0xffffffffu, c = y >> 32, d = y & 0xffffffffu;
    const T middle = a * d + ((b * d) >> 32), other = b * c + (middle & 0xffffffffu);
    return a * c + (middle >> 32) + (other >> 32);
  };
  const auto x = e2e::random_integers<T>(), y = e2e::random_integers<T>(), z = e2e::random_integers<T>();
  e2e::check_exact("mul_hi", [](const auto& a, const auto& b) { return sycl::mul_hi(a, b); }, high, x, y);
  e2e::check_exact(
      "mad_hi", [](const auto& a, const auto& b, const auto& c) { return sycl::mad_hi(a, b, c); },
      [=](T a, T b, T c) { return high(a, b) + c; }, x, y, z);
  e2e::check_exact(
      "mad_sat", [](const auto& a, const auto& b, const auto& c) { return sycl::mad_sat(a, b, c); },
      [=](T a, T b, T c) {
        const T low = a * b + c;
        return high(a, b) != 0 || low < c ? std::numeric_limits<T>::max() : low;
      },
      x, y, z);
}

E2E_MAIN

TEST("a type that the program names decides, whatever the arguments are") {
  const std::size_t size = 5;
  const unsigned number = 7;
  const long long large = 4;
  const float half = 0.5f;
  const double third = 1.0 / 3;
  const auto is = [](auto value, auto expected) {
    static_assert(std::is_same_v<decltype(value), decltype(expected)>);
    CHECK_EQUAL(value, expected);
  };
  is(sycl::min<std::int64_t>(size, -3), std::int64_t{-3});
  is(sycl::max<std::int64_t>(-3, size), std::int64_t{5});
  is(sycl::min<int>(number, large), 4);
  is(sycl::max<unsigned>(number, 1), 7u);
  is(sycl::clamp<int>(number, short{2}, 5L), 5);
  is(sycl::abs_diff<int>(number, large), 3);
  is(sycl::max<float>(third, 1), 1.0f);
  is(sycl::min<double>(half, third), third);
  is(sycl::clamp<float>(half, 1, 2), 1.0f);
  is(sycl::clamp<double>(half, third, 1), 0.5);
  is(sycl::max<sycl::half>(half, 2), sycl::half(2.0f));
  is(sycl::fmin<double>(half, 1), 0.5);
  is(sycl::sqrt<double>(4), 2.0);
  is(sycl::pow<float>(2, number), 128.0f);
  is(sycl::fma<double>(half, 2, number), 8.0);
  is(sycl::step<float>(third, half), 1.0f);
  is(sycl::isless<float>(third, half), true);
}
