/// sycl::vec (SYCL 2020 4.14.2) on the device against scalar code: operators, swizzles as lvalues, conversions, memory.
#define SYCL_SIMPLE_SWIZZLES
#include <limits>

#include "element_check.hpp"

namespace {

constexpr std::size_t count = 257;

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
      [](T a, T b) { return e2e::several<int, 2>{{-int(!a), -int(!T(a - b))}}; });
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

TEST("operators of integer vectors") {
  check_integer<sycl::char16>();
  check_integer<sycl::ushort3>();
  check_integer<sycl::int4>();
  check_integer<sycl::ulong2>();
}

TEST("operators of floating-point vectors") {
  check_arithmetic<sycl::float4>();
  check_arithmetic<sycl::double3>();
}

TEST("operators of half vectors") {
  using sycl::half;
  using sycl::half8;
  check_arithmetic<half8>();
}

TEST("vectors of bool, byte and one element") {
  sycl::queue queue = e2e::make_queue();
  int* out = sycl::malloc_shared<int>(8, queue);
  queue
      .single_task([=] {
        const sycl::vec<bool, 2> truth(true, false), other(true, true);
        const auto both = truth && other;
        out[0] = both.x() * 10 + both.y();
        const sycl::vec<std::byte, 2> bytes(std::byte{0x3c}, std::byte{0xff});
        const sycl::vec<std::byte, 2> masked = (bytes & std::byte{0x0f}) | ~bytes;
        out[1] = std::to_integer<int>(masked.x()) * 256 + std::to_integer<int>(masked.y());
        sycl::vec<int, 1> one = 5;
        one += 2;
        const int plain = one * 3;
        out[2] = plain + one;
        out[3] = (truth ^ other).y();
      })
      .wait();
  CHECK_EQUAL(out[0], -10);
  CHECK_EQUAL(out[1], 0xcf0f);
  CHECK_EQUAL(out[2], 28);
  CHECK_EQUAL(out[3], 1);
  sycl::free(out, queue);
}

TEST("swizzles can be assigned to and computed with") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t size = 16;
  sycl::float4* out = sycl::malloc_shared<sycl::float4>(size, queue);
  const float a = 1.5f;
  queue
      .single_task([=] {
        const sycl::float4 v(a, 2, 3, 4);
        for (std::size_t i = 0; i < size; ++i) out[i] = v;
        out[0].xy() = out[0].zw();
        out[1].wzyx() = out[1];
        out[2].swizzle<sycl::elem::y, sycl::elem::w>() = sycl::float2(7, 8);
        out[3].lo() += out[3].hi();
        out[4].odd() *= 10;
        out[5].even() = 0.5f;
        out[6].zw() -= out[6].xy() / 2;
        out[7].xyz() = sycl::float3(sycl::sqrt(out[7].yyw()));
        out[8].xw()++;
        --out[8].yz();
        out[9].yzw().zx() = sycl::float2(20, 30);
        out[10].rg() = sycl::max(out[10].ba(), out[10].ar());
        out[11] = sycl::float4(v.zx(), v.xz()) + v.xyxy() * 2.0f - 1.0f;
        out[12].hi().y() = 9;
        out[13].x() = sycl::dot(v.xyz(), v.zyx());
        out[14].xy() = {5, 6};
        const sycl::int2 less = v.xw() < v.wx();
        const sycl::float4 cast = (-v.wzyx()).convert<int>().convert<float>();
        out[15] = sycl::float4(less.convert<float>(), cast.lo());
      })
      .wait();
  const sycl::float4 expected[] = {
      {3, 4, 3, 4},      {4, 3, 2, 1.5f},    {1.5f, 7, 3, 8},     {4.5f, 6, 3, 4},
      {1.5f, 20, 3, 40}, {0.5f, 2, 0.5f, 4}, {1.5f, 2, 2.25f, 3}, {std::sqrt(2.0f), std::sqrt(2.0f), 2, 4},
      {2.5f, 1, 2, 5},   {1.5f, 30, 3, 20},  {4, 4, 3, 4},        {5, 4.5f, 3.5f, 6},
      {1.5f, 2, 3, 9},   {13, 2, 3, 4},      {5, 6, 3, 4},        {-1, 0, -4, -3}};
  for (std::size_t i = 0; i < size; ++i) {
    for (int k = 0; k < 4; ++k) {
      if (out[i][k] != expected[i][k]) {
        e2e::fail(__FILE__, __LINE__,
                  "case " + std::to_string(i) + ", element " + std::to_string(k) + ": " + std::to_string(out[i][k]) +
                      ", not " + std::to_string(expected[i][k]));
      }
    }
  }
  sycl::free(out, queue);
}

TEST("a vector of one element is made of any number") {
  const double wide = 2.75;
  const int whole = -7;
  CHECK_EQUAL((sycl::vec<float, 1>{wide}[0]), 2.75f);
  CHECK_EQUAL((sycl::vec<float, 1>{whole}[0]), -7.0f);
  CHECK_EQUAL((sycl::vec<float, 1>{wide}.convert<int, sycl::rounding_mode::rte>()[0]), 3);
  static_assert(std::is_same_v<sycl::ulong, sycl::ulong2::element_type> && sizeof(sycl::uchar) == 1);
}

TEST("a swizzle of one element is an element and a vector") {
  sycl::queue q = e2e::make_queue();
  float* out = sycl::malloc_shared<float>(12, q);
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    const sycl::float4 v(float(random() % 100), float(random() % 100), float(random() % 100), float(random() % 100));
    q.single_task([=] {
       sycl::float4 a = v;
       const sycl::float4 b = v;
       auto y = a.swizzle<sycl::elem::y>();
       static_assert(y.size() == 1 && std::is_same_v<decltype(y)::element_type, float>);
       out[0] = y;
       out[1] = b.swizzle<2>() + 1.5f;
       out[2] = a.swizzle<0>() * b.swizzle<3>();
       y = 5;
       y += 2;
       y++;
       out[3] = a.y();
       const sycl::vec<float, 1> whole = a.swizzle<3>();
       out[4] = whole[0];
       out[5] = y.swizzle<0>();
       out[6] = sycl::fmax(a.swizzle<0>(), 50.0f);
       sycl::vec<float, 1> one(2.0f);
       one += one.swizzle<0>();
       out[7] = one[0];
       out[8] = (one.swizzle<0>() * one.swizzle<0>() + 1.0f)[0];
       out[9] = (one.swizzle<0>() < 3.0f)[0];
       a.lo().swizzle<1>() = 11;
       out[10] = a[1];
       out[11] = float(b.swizzle<1>().convert<int>()[0]);
     }).wait();
    const float expected[] = {v[1], v[2] + 1.5f, v[0] * v[3], 8, v[3], 8, std::max(v[0], 50.0f), 4, 17, 0, 11, v[1]};
    for (int i = 0; i < 12; ++i) CHECK_EQUAL(out[i], expected[i]);
  }
  sycl::free(out, q);
}

TEST("vectors are made of parts, and know their type") {
  sycl::queue queue = e2e::make_queue();
  int* out = sycl::malloc_shared<int>(16, queue);
  queue
      .single_task([=] {
        const sycl::int2 two(1, 2);
        const sycl::int16 many(two, two.yx(), 5, sycl::int3(6, 7, 8), sycl::int8(9));
        many.store(0, out);
      })
      .wait();
  const std::vector<int> expected = {1, 2, 2, 1, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9};
  CHECK_ALL_EQUAL(std::vector<int>(out, out + 16), expected);
  sycl::free(out, queue);
  sycl::vec deduced{1.0f, 2.0f, 3.0f};
  deduced = 4.0f;
  static_assert(std::is_same_v<decltype(deduced), sycl::float3>);
  CHECK_EQUAL(deduced.z(), 4.0f);
  static_assert(sizeof(sycl::float3) == 16 && alignof(sycl::double16) == 64 && sycl::float3::byte_size() == 16);
  static_assert(std::is_trivially_copyable_v<sycl::half4> && sycl::is_device_copyable_v<sycl::float3>);
  static_assert(std::is_trivially_default_constructible_v<sycl::half2>);
  static_assert(std::is_trivially_default_constructible_v<sycl::double16>);
  static_assert(std::is_same_v<decltype(sycl::half3() < sycl::half3()), sycl::short3>);
  static_assert(std::is_same_v<decltype(sycl::double2() == sycl::double2()), sycl::long2>);
}

template <class From, class To, sycl::rounding_mode Mode, class Reference>
void check_convert(double least, double most, Reference reference) {
  sycl::queue queue = e2e::make_queue();
  auto values = e2e::random_values<From>(count * 4, least, most);
  values[0] = From(0), values[1] = From(1), values[2] = static_cast<From>(least), values[3] = static_cast<From>(most);
  From* in = sycl::malloc_shared<From>(count * 4, queue);
  To* out = sycl::malloc_shared<To>(count * 4, queue);
  std::copy(values.begin(), values.end(), in);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      sycl::vec<From, 4> v;
                      v.load(i, in);
                      v.template convert<To, Mode>().store(i, out);
                    })
      .wait();
  for (std::size_t i = 0; i < count * 4; ++i) {
    const To expected = reference(values[i]);
    if (!(out[i] == expected)) {
      e2e::fail(__FILE__, __LINE__,
                "convert in mode " + std::to_string(static_cast<int>(Mode)) + " of " + std::to_string(values[i]) +
                    ": " + std::to_string(out[i]) + ", not " + std::to_string(expected));
      break;
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

/// Converts to the nearest value, or to its neighbour if the nearest value lies on the wrong side of x for this
/// rounding mode.
template <class To>
To rounded(long double x, sycl::rounding_mode mode) {
  const To near = static_cast<To>(x);
  const long double back = static_cast<long double>(near);
  const To infinity = std::numeric_limits<To>::infinity();
  if (mode == sycl::rounding_mode::rtz) mode = x < 0 ? sycl::rounding_mode::rtp : sycl::rounding_mode::rtn;
  if (mode == sycl::rounding_mode::rtn && back > x) return sycl::nextafter(near, static_cast<To>(-infinity));
  if (mode == sycl::rounding_mode::rtp && back < x) return sycl::nextafter(near, infinity);
  return near;
}

TEST("conversions round as asked") {
  using sycl::rounding_mode;
  check_convert<float, int, rounding_mode::automatic>(-1e6, 1e6,
                                                      [](float x) { return static_cast<int>(std::nearbyint(x)); });
  check_convert<float, int, rounding_mode::rtz>(-50, 50, [](float x) { return static_cast<int>(x); });
  check_convert<float, int, rounding_mode::rte>(-50, 50, [](float x) { return static_cast<int>(std::nearbyint(x)); });
  check_convert<double, short, rounding_mode::rtp>(-50, 50, [](double x) { return static_cast<short>(std::ceil(x)); });
  check_convert<sycl::half, long, rounding_mode::rtn>(-50, 50,
                                                      [](float x) { return static_cast<long>(std::floor(x)); });
  check_convert<int, unsigned char, rounding_mode::automatic>(-5e4, 5e4,
                                                              [](int x) { return static_cast<unsigned char>(x); });
  check_convert<double, float, rounding_mode::automatic>(-50, 50, [](double x) { return static_cast<float>(x); });
  check_convert<double, float, rounding_mode::rtp>(-50, 50,
                                                   [](double x) { return rounded<float>(x, rounding_mode::rtp); });
  check_convert<double, float, rounding_mode::rtn>(-50, 50,
                                                   [](double x) { return rounded<float>(x, rounding_mode::rtn); });
  check_convert<double, sycl::half, rounding_mode::rtz>(
      -50, 50, [](double x) { return rounded<sycl::half>(x, rounding_mode::rtz); });
  check_convert<double, sycl::half, rounding_mode::automatic>(
      -5, 5, [](double x) { return rounded<sycl::half>(x, rounding_mode::rte); });
  check_convert<long, float, rounding_mode::rtz>(-9e18, 9e18,
                                                 [](long x) { return rounded<float>(x, rounding_mode::rtz); });
  check_convert<int, float, rounding_mode::rtp>(-2e9, 2e9, [](int x) { return rounded<float>(x, rounding_mode::rtp); });
  check_convert<float, double, rounding_mode::rtn>(-50, 50, [](float x) { return double(x); });
}

TEST("load and store take accessors of every kind") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<float> input = e2e::random_values<float>(8);
  std::vector<float> output(8, 0), expected(8, 0);
  for (std::size_t i = 0; i < 4; ++i) expected[i] = input[i + 4] + input[i];
  {
    sycl::buffer<float> from(input.data(), input.size()), to(output);
    queue.submit([&](sycl::handler& handler) {
      const sycl::accessor in(from, handler, sycl::read_only);
      const sycl::accessor out(to, handler, sycl::read_write);
      const sycl::local_accessor<float> local(8, handler);
      handler.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        sycl::float4 low, high;
        low.load(0, in);
        high.load(1, in);
        high.store(1, local);
        low.load(1, local);
        high.load(0, in);
        (low + high).store(0, out);
      });
    });
  }
  CHECK_ALL_EQUAL(output, expected);
  sycl::buffer<float> buffer(output);
  const sycl::host_accessor host(buffer);
  sycl::float2 pair;
  pair.load(1, host);
  pair.store(3, host);
  CHECK_EQUAL(host[6], expected[2]);
  CHECK_EQUAL(host[7], expected[3]);
}

TEST("as keeps the bits; load and store take pointers and multi_ptrs") {
  sycl::queue queue = e2e::make_queue();
  float* data = sycl::malloc_shared<float>(12, queue);
  std::uint32_t* bits = sycl::malloc_shared<std::uint32_t>(4, queue);
  for (int i = 0; i < 12; ++i) data[i] = float(i);
  queue
      .single_task([=] {
        using sycl::access::address_space;
        using sycl::access::decorated;
        const auto in = sycl::address_space_cast<address_space::global_space, decorated::no>(data);
        const sycl::multi_ptr<const float, address_space::global_space, decorated::no> constant(in);
        sycl::float2 v, w;
        v.load(1, in);
        w.load(1, constant);
        (v + w).store(2, in);
        sycl::float4 four;
        four.lo().load(5, data);
        four.wz() = four.xy();
        four.store(0, in);
        sycl::float2(v.yx()).as<sycl::uint2>().store(0, bits);
        const sycl::short4 halves = v.as<sycl::short4>();
        bits[2] = static_cast<std::uint16_t>(halves.y());
        four.hi().as<sycl::uint2>().hi() = 0;
        bits[3] = four.zw().as<sycl::uint2>()[1];
      })
      .wait();
  const std::vector<float> expected = {10, 11, 11, 10, 4, 6};
  CHECK_ALL_EQUAL(std::vector<float>(data, data + 6), expected);
  CHECK_EQUAL(bits[0], 0x40400000u);
  CHECK_EQUAL(bits[1], 0x40000000u);
  CHECK_EQUAL(bits[2], 0x4000u);
  CHECK_EQUAL(bits[3], 0x41200000u);
  sycl::free(data, queue);
  sycl::free(bits, queue);
}

TEST("half rounds once, compares and converts like a number") {
  using sycl::half;
  sycl::queue queue = e2e::make_queue();
  const std::size_t size = 1 << 16;
  half* out = sycl::malloc_shared<half>(size, queue);
  float* wide = sycl::malloc_shared<float>(size, queue);
  queue
      .parallel_for(sycl::range<1>(size),
                    [=](sycl::id<1> i) {
                      const half x = sycl::bit_cast<half>(static_cast<std::uint16_t>(i[0]));
                      wide[i] = x;
                      out[i] = half(double(x) * (1 + 0x1p-11 + 0x1p-45)) + x * 2;
                    })
      .wait();
  for (std::size_t i = 0; i < size; ++i) {
    // Computes the value from the definition of the format.
    const int exponent = static_cast<int>((i >> 10) & 31), fraction = static_cast<int>(i & 1023);
    double value = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? std::nan("") : HUGE_VAL)
                                    : std::ldexp(1024 + fraction, exponent - 25);
    if (i >> 15) value = -value;
    CHECK(wide[i] == value || (std::isnan(wide[i]) && std::isnan(value)));
    const auto round = [](double x) {  // rounds to the nearest number of type half
      if (!std::isfinite(x)) return x;
      int power = 0;
      std::frexp(x, &power);
      const double unit = std::ldexp(1, std::max(power, -13) - 11), result = std::nearbyint(x / unit) * unit;
      return std::fabs(result) >= 65536 ? std::copysign(HUGE_VAL, result) : result;
    };
    const double expected = round(round(value * (1 + 0x1p-11 + 0x1p-45)) + round(value * 2));
    CHECK(float(out[i]) == expected || (std::isnan(float(out[i])) && std::isnan(expected)));
  }
  static_assert(std::is_same_v<decltype(half() * half()), half> && std::is_same_v<decltype(half() * 1.0f), float>);
  static_assert(half(1) < half(2) && half(2) == 2 && !(half(1) > 1.5) && half(3) != 2.0f && sizeof(half) == 2);
  static_assert(std::numeric_limits<half>::max() == 65504.0f && std::numeric_limits<half>::digits == 11);
  CHECK_EQUAL(std::hash<half>()(half(-0.0f)), std::hash<half>()(half(0.0f)));
  CHECK(std::hash<half>()(half(1.0f)) != std::hash<half>()(half(2.0f)));
  sycl::free(out, queue);
  sycl::free(wide, queue);
}

TEST("vectors of classes take numbers, and {} as vectors of numbers do") {
  sycl::half2 values(3);
  values = {};
  CHECK(values[0] == 0 && values[1] == 0);
  values = sycl::half(2);
  CHECK(values[0] == 2 && values[1] == 2);
  values = 1.0f;
  CHECK(values[0] == 1 && values[1] == 1);
}

namespace {
/// Language models store quantised numbers in blocks of this kind.
struct scaled_block {
  union {
    struct {
      sycl::half scale, least;
    } alone;
    sycl::half2 both;
  };
  unsigned char quarters[4];
};
}  // namespace

TEST("vectors may be members of unions, and are zero where they are value-initialised") {
  sycl::queue queue = e2e::make_queue();
  const auto scales = e2e::random_values<float>(count);
  scaled_block* blocks = sycl::malloc_shared<scaled_block>(count, queue);
  sycl::float3* zeros = sycl::malloc_shared<sycl::float3>(count, queue);
  std::vector<scaled_block> host(count);
  for (std::size_t i = 0; i < count; ++i) {
    host[i].both = sycl::half2(scales[i], 1.0f);
    blocks[i] = host[i];
    zeros[i] = sycl::float3(7.0f);
  }
  queue.parallel_for(count, [=](sycl::id<1> i) {
    blocks[i].both = blocks[i].both * sycl::half2(2.0f, 3.0f);
    zeros[i] = i % 2 == 0 ? sycl::float3() : sycl::float3{};
  }).wait();
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(float(blocks[i].alone.scale), float(host[i].alone.scale) * 2);
    CHECK_EQUAL(float(blocks[i].alone.least), 3.0f);
    CHECK(sycl::all(zeros[i] == sycl::float3(0.0f)));
  }
  constexpr sycl::float3 sum = sycl::float3(1, 2, 3) + sycl::float3(1, 1, 1);
  static_assert(sum.z() == 4.0f && sycl::int3().y() == 0);
  sycl::free(blocks, queue);
  sycl::free(zeros, queue);
}

E2E_MAIN
