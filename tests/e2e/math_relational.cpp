/// Common, geometric and relational functions (SYCL 2020 4.17.7 to 4.17.9) against plain scalar code.
#include "math_check.hpp"

namespace {

using ld = long double;

template <class T>
constexpr T nan_value = std::numeric_limits<T>::quiet_NaN();

// For vectors, the helper functions convert masks to bool. Tests below check the masks themselves.
#define RELATION_1(function, truth)                                                           \
  e2e::check_exact(                                                                           \
      #function, [](const auto& x) { return sycl::function(x); }, [](ld x) { return truth; }, \
      e2e::math_values<T>(-10, 10))
#define RELATION_2(function, truth)                                                                                   \
  e2e::check_exact(                                                                                                   \
      #function, [](const auto& x, const auto& y) { return sycl::function(x, y); }, [](ld x, ld y) { return truth; }, \
      x, y)

template <class T>
void check_relations() {
  const auto x = e2e::math_values<T>(-1, 1);
  auto y = e2e::math_values<T>(-1, 1);
  for (std::size_t i = 0; i < y.size(); i += 3) y[i] = x[i];
  RELATION_1(isfinite, std::isfinite(x));
  RELATION_1(isinf, std::isinf(x));
  RELATION_1(isnan, std::isnan(x));
  RELATION_1(isnormal, std::isfinite(x) && std::fabs(x) >= static_cast<ld>(std::numeric_limits<T>::min()));
  RELATION_1(signbit, std::signbit(x));
  RELATION_2(isequal, x == y);
  RELATION_2(isnotequal, x != y);
  RELATION_2(isgreater, x > y);
  RELATION_2(isgreaterequal, x >= y);
  RELATION_2(isless, x < y);
  RELATION_2(islessequal, x <= y);
  RELATION_2(islessgreater, x < y || x > y);
  RELATION_2(isordered, !std::isnan(x) && !std::isnan(y));
  RELATION_2(isunordered, std::isnan(x) || std::isnan(y));
  e2e::check_forms(
      "bitselect", 0, [](const auto& a, const auto& b, const auto& c) { return sycl::bitselect(a, b, c); },
      [](T a, T b, T c) {
        unsigned char p[sizeof(T)], q[sizeof(T)], r[sizeof(T)];
        std::memcpy(p, &a, sizeof(T)), std::memcpy(q, &b, sizeof(T)), std::memcpy(r, &c, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<unsigned char>((p[i] & ~r[i]) | (q[i] & r[i]));
        std::memcpy(&a, p, sizeof(T));
        return a;
      },
      [](T got, T expected) { return std::memcmp(&got, &expected, sizeof(T)) == 0 || got != got ? 0.0 : 1.0; }, x, y,
      e2e::math_values<T>(-1, 1));
  e2e::check_exact(
      "select by a relation", [](const auto& a, const auto& b) { return sycl::select(a, b, sycl::isgreater(a, b)); },
      [](T a, T b) { return a > b ? b : a; }, e2e::math_values<T>(-1, 1, false), e2e::math_values<T>(-1, 1, false));
}

#define COMMON(function, arguments, reference, allowed) \
  e2e::check_accuracy(                                  \
      #function, allowed,                               \
      [](const auto& x, const auto& y, const auto& z) { \
        (void)x, (void)y, (void)z;                      \
        return sycl::function arguments;                \
      },                                                \
      [](ld x, ld y, ld z) {                            \
        (void)x, (void)y, (void)z;                      \
        return reference;                               \
      },                                                \
      x, y, z)

template <class T>
void check_common() {
  auto x = e2e::math_values<T>(-10, 10, false), y = e2e::math_values<T>(1, 10, false);
  const auto z = e2e::math_values<T>(0, 1, false);
  x[0] = x[1], x[2] = T(0.0f), x[3] = T(-0.0f), x[4] = y[4], x[5] = std::numeric_limits<T>::infinity();
  COMMON(degrees, (x), x * 57.295779513082320876798154814105L, 2);
  COMMON(radians, (x), x * 0.017453292519943295769236907684886L, 2);
  COMMON(max, (x, y), std::max(x, y), 0);
  COMMON(min, (x, y), std::min(x, y), 0);
  COMMON(clamp, (x, -y, y), std::clamp(x, -y, y), 0);
  COMMON(step, (y, x), (x < y ? 0.0L : 1.0L), 0);
  COMMON(sign, (x), (x > 0 ? 1.0L : x < 0 ? -1.0L : x), 0);
  COMMON(max, (x, T(1.5f)), std::max(x, 1.5L), 0);
  COMMON(min, (x, T(1.5f)), std::min(x, 1.5L), 0);
  COMMON(clamp, (x, T(-1.5f), T(1.5f)), std::clamp(x, -1.5L, 1.5L), 0);
  COMMON(step, (T(1.5f), x), (x < 1.5L ? 0.0L : 1.0L), 0);
  x[5] = T(1.0f);
  // Both numbers have the same sign, so that no digits cancel.
  COMMON(mix, (y, y * T(2.0f), z), y + y * z, 3);
  COMMON(mix, (y, y * T(2.0f), T(0.25f)), y * 1.25L, 3);
  const auto smooth = [](ld t) {
    t = std::clamp(t, 0.0L, 1.0L);
    return t * t * (3 - 2 * t);
  };
  e2e::check_accuracy(
      "smoothstep", 8, [](const auto& a) { return sycl::smoothstep(T(0.0f), T(1.0f), a); },
      [=](ld a) { return smooth(a); }, x);
  e2e::check_accuracy(
      "smoothstep between vectors", 16,
      [](const auto& a, const auto& b) { return sycl::smoothstep(a * T(0.0f), a, b); },
      [=](ld a, ld b) { return smooth(b / a); }, y, z);
}

/// Checks functions of vectors. The kernel stores {dot, length, distance, last element of normalize}.
template <class Vector>
void check_geometry() {
  using T = typename Vector::value_type;
  constexpr std::size_t count = 64;
  const std::size_t size = Vector::size();
  sycl::queue queue = e2e::make_queue();
  T* in = sycl::malloc_shared<T>(count * size * 2, queue);
  T* out = sycl::malloc_shared<T>(count * 4, queue);
  const auto values = e2e::math_values<T>(0.5, 10, false);
  std::copy(values.begin(), values.begin() + count * size * 2, in);
  // The squares of the largest values overflow T, and those of the smallest values underflow.
  const int edge = std::numeric_limits<T>::max_exponent - 6;
  for (std::size_t i = 0; i < 2 * size; ++i) in[i] = static_cast<T>(std::ldexp(static_cast<ld>(in[i]), edge));
  for (std::size_t i = 2 * size; i < 4 * size; ++i)
    in[i] = static_cast<T>(std::ldexp(static_cast<ld>(in[i]), -edge + 6));
  // The vectors in the second half have lengths (norms) of all magnitudes.
  for (std::size_t i = count; i < 2 * count; ++i) {
    const int exponent = -edge + 8 + static_cast<int>(i - count) * (2 * edge - 8) / static_cast<int>(count);
    for (std::size_t k = i * size; k < (i + 1) * size; ++k) {
      in[k] = static_cast<T>(std::ldexp(static_cast<ld>(in[k]), exponent));
    }
  }
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      const std::size_t i = id[0];
                      Vector a, b;
                      for (std::size_t k = 0; k < Vector::size(); ++k) {
                        a[k] = in[(2 * i) * Vector::size() + k];
                        b[k] = in[(2 * i + 1) * Vector::size() + k];
                      }
                      out[4 * i] = sycl::dot(a, b);
                      out[4 * i + 1] = sycl::length(a);
                      out[4 * i + 2] = sycl::distance(a, -b);
                      out[4 * i + 3] = sycl::normalize(a)[Vector::size() - 1];
                    })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    ld dot = 0, square = 0, distance = 0, last = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const ld p = static_cast<ld>(in[2 * i * size + k]), q = static_cast<ld>(in[(2 * i + 1) * size + k]);
      dot += p * q, square += p * p, distance += (p + q) * (p + q), last = p;
    }
    if (i > 1 && i < count / 2) CHECK(e2e::ulps(out[4 * i], dot) <= 4);
    CHECK(e2e::ulps(out[4 * i + 1], std::sqrt(square)) <= 2);
    CHECK(e2e::ulps(out[4 * i + 2], std::sqrt(distance)) <= 4);
    CHECK(e2e::ulps(out[4 * i + 3], last / std::sqrt(square)) <= 4);
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

template <class T>
void check_geometries() {
  check_geometry<sycl::vec<T, 2>>();
  check_geometry<sycl::vec<T, 3>>();
  check_geometry<sycl::vec<T, 4>>();
  check_geometry<sycl::marray<T, 3>>();
}

} // namespace

TEST("relations of float") { check_relations<float>(); }
TEST("relations of double") { check_relations<double>(); }
TEST("relations of half") { check_relations<sycl::half>(); }
TEST("common functions of float") { check_common<float>(); }
TEST("common functions of double") { check_common<double>(); }
TEST("common functions of half") { check_common<sycl::half>(); }
TEST("lengths of float neither overflow nor vanish") { check_geometries<float>(); }
TEST("lengths of double neither overflow nor vanish") { check_geometries<double>(); }
TEST("vectors of float with infinite elements and NaNs have the lengths that IEEE 754 asks for") {
  sycl::queue queue = e2e::make_queue();
  float* x = sycl::malloc_shared<float>(9, queue);
  x[0] = std::numeric_limits<float>::infinity(), x[1] = std::numeric_limits<float>::quiet_NaN(), x[2] = -3;
  queue
      .single_task([=] {
        const sycl::float3 infinite(x[2], -x[0], x[2]), none(x[2], x[1], x[0]);
        const sycl::float3 of_infinite = sycl::normalize(infinite), of_none = sycl::normalize(none);
        x[3] = sycl::length(infinite), x[4] = sycl::length(none);
        x[5] = of_infinite[0], x[6] = of_infinite[1], x[7] = of_none[0], x[8] = of_none[2];
      })
      .wait();
  CHECK_EQUAL(x[3], x[0]);
  CHECK_EQUAL(x[5], 0.0f);
  for (const int i : {4, 6, 7, 8}) CHECK(std::isnan(x[i]));
  sycl::free(x, queue);
}
TEST("lengths of half neither overflow nor vanish") { check_geometries<sycl::half>(); }

TEST("masks are -1, and their most significant bits count") {
  sycl::queue queue = e2e::make_queue();
  long* out = sycl::malloc_shared<long>(24, queue);
  queue
      .single_task([=] {
        const sycl::float4 a(1, nan_value<float>, 3, -0.0f);
        const sycl::int4 nans = sycl::isnan(a);
        const sycl::long2 less = sycl::isless(sycl::double2(1, 2), sycl::double2(2, 1));
        const sycl::short2 equal = sycl::isequal(sycl::half2(1, 2), sycl::half2(1, 1));
        const sycl::mbool3 signs = sycl::signbit(sycl::mfloat3(-1, 1, -0.0f));
        out[0] = nans.x(), out[1] = nans.y(), out[2] = less.x(), out[3] = less.y(), out[4] = equal.x(),
        out[5] = equal.y();
        out[6] = signs[0] && !signs[1] && signs[2];
        out[7] = sycl::any(nans), out[8] = sycl::all(nans), out[9] = sycl::any(sycl::int2(1, 0x7fffffff));
        out[10] = sycl::all(sycl::char2(-128, -1)), out[11] = sycl::any(signs), out[12] = sycl::all(signs);
        out[13] = sycl::any(-5), out[14] = sycl::all(5), out[15] = sycl::any(sycl::mint2(1, -1));
        const sycl::uint4 mask(0x80000000u, 0x7fffffffu, 0, 0xffffffffu);
        const sycl::int4 chosen = sycl::select(sycl::int4(1, 2, 3, 4), sycl::int4(5, 6, 7, 8), mask);
        out[16] = chosen.x() * 1000 + chosen.y() * 100 + chosen.z() * 10 + chosen.w();
        const sycl::mint3 picked = sycl::select(sycl::mint3(1, 2, 3), sycl::mint3(4, 5, 6), signs);
        out[17] = picked[0] * 100 + picked[1] * 10 + picked[2];
        static_assert(
            std::is_same_v<decltype(sycl::select<sycl::mint3, sycl::mint3, sycl::mbool3>(picked, picked, signs)),
                           sycl::mint3>);
        out[18] = sycl::select(1, 2, true) * 10 + sycl::select(1, 2, false);
        out[19] = static_cast<long>(sycl::bitselect(0xf0f0, 0x1234, 0xff00));
      })
      .wait();
  const long expected[] = {0, -1, -1, 0, -1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 5238, 426, 21, 0x12f0};
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(out[i], expected[i]);
  sycl::free(out, queue);
}

namespace own {
sycl::half mix(sycl::half x, sycl::half y, sycl::half a) { return x + y * a; }
template <class T>
T mixed(T x, T y, T a) {
  return mix(x, y, a);
}
} // namespace own

TEST("a program's own functions of half are not ambiguous with SYCL's") {
  CHECK_EQUAL(float(own::mixed<sycl::half>(1, 2, 3)), 7.0f);
}

TEST("cross products, scalars and the fast functions") {
  sycl::queue queue = e2e::make_queue();
  float* out = sycl::malloc_shared<float>(24, queue);
  queue
      .single_task([=] {
        const sycl::float4 a(1, 2, 3, 9), b(-4, 5, 6, 9);
        const sycl::float4 four = sycl::cross(a, b);
        const sycl::float3 three = sycl::cross(a.swizzle<0, 1, 2>(), sycl::float3(-4, 5, 6));
        const sycl::mfloat3 array = sycl::cross(sycl::mfloat3(1, 2, 3), sycl::mfloat3(-4, 5, 6));
        for (int k = 0; k < 3; ++k) out[k] = four[k], out[4 + k] = three[k], out[8 + k] = array[std::size_t(k)];
        out[3] = four.w();
        out[7] = sycl::length(-3.0f) + sycl::distance(1.0f, 3.0f) + sycl::normalize(-7.0f) + sycl::dot(2.0f, 5.0f);
        out[11] = sycl::fast_length(sycl::float2(3, 4)) + sycl::fast_distance(sycl::float2(1, 1), sycl::float2(4, 5));
        out[12] = sycl::fast_normalize(sycl::float2(3, 4)).y();
        out[13] = sycl::normalize(sycl::float2(0, 0)).x() + sycl::fast_normalize(sycl::float2(0, 0)).x();
      })
      .wait();
  const float expected[] = {-3, -18, 13, 0, -3, -18, 13, 14, -3, -18, 13, 10};
  for (int i = 0; i < 12; ++i) CHECK_EQUAL(out[i], expected[i]);
  CHECK(std::abs(out[12] - 0.8f) < 1e-6f);
  CHECK_EQUAL(out[13], 0.0f);
  sycl::free(out, queue);
}

E2E_MAIN
