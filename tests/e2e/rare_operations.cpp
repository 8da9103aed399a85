/// Rare instructions that compilers make from C++ and that some targets are known to compute wrongly
/// (docs/llvm_defects.md). The results must equal the host's.

#include <sycl/sycl.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "check.hpp"
#include "same_check.hpp"

namespace {

using e2e::check_same;
using std::uint64_t;

float some_float(uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
/// Returns the number's bits, but the same value for all NaNs.
uint64_t bits_of(float value) { return value != value ? 1 : std::bit_cast<std::uint32_t>(value); }
uint64_t bits_of(double value) { return value != value ? 1 : std::bit_cast<uint64_t>(value); }

/// Tests whether results overflow, and compares the wrapped results.
template <class Number>
void check_overflow() {
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    const auto a = static_cast<Number>(bits), b = static_cast<Number>(i * 0x10204080903u - (bits >> 60));
    Number product, sum, difference;
    uint64_t result = __builtin_mul_overflow(a, b, &product);
    result = 2 * result + __builtin_add_overflow(a, b, &sum);
    result = 2 * result + __builtin_sub_overflow(a, b, &difference);
    for (const Number each : {product, sum, difference}) result = 31 * result + static_cast<uint64_t>(each);
    return result;
  });
}

}  // namespace

TEST("products, sums and differences that do not fit, of all widths") {
  check_overflow<std::uint8_t>();
  check_overflow<std::uint16_t>();
  check_overflow<std::uint32_t>();
  check_overflow<std::uint64_t>();
  check_overflow<std::int8_t>();
  check_overflow<std::int16_t>();
  check_overflow<std::int32_t>();
  check_overflow<std::int64_t>();
}

TEST("narrow numbers that become wide again") {
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    volatile auto x = static_cast<std::uint32_t>(bits);
    const auto a = static_cast<std::uint8_t>(x + i);
    const auto b = static_cast<std::uint16_t>(x * 3 + i);
    const auto c = static_cast<std::uint8_t>(a * b), d = static_cast<std::uint8_t>(c >> (i % 9));
    return a + (uint64_t{b} << 20) + static_cast<uint64_t>(std::int64_t{static_cast<std::int8_t>(a)}) +
           static_cast<uint64_t>(std::int64_t{static_cast<std::int16_t>(b)}) * 3 + c * 7 + d * 11;
  });
}

// clang 19 does not have these built-in functions.
#if __has_builtin(__builtin_elementwise_minimumnum)
TEST("least and greatest of zeros and of what is no number") {
  const auto operands = [](uint64_t bits, std::size_t i, float& a, float& b) {
    a = some_float(bits);
    b = some_float(bits >> 32);
    if (i % 5 == 0) b = std::numeric_limits<float>::quiet_NaN();
    if (i % 7 == 0) a = (bits & 1) != 0 ? 0.0f : -0.0f;
    if (i % 7 == 0) b = (bits & 2) != 0 ? 0.0f : -0.0f;
  };
  check_same<uint64_t>([=](uint64_t bits, std::size_t i) {
    float a, b;
    operands(bits, i, a, b);
    return bits_of(__builtin_elementwise_minimum(a, b)) + 3 * bits_of(__builtin_elementwise_maximum(a, b));
  });
  check_same<uint64_t>([=](uint64_t bits, std::size_t i) {
    float a, b;
    operands(bits, i, a, b);
    return bits_of(__builtin_elementwise_minimumnum(a, b)) + 3 * bits_of(__builtin_elementwise_maximumnum(a, b));
  });
  check_same<uint64_t>([=](uint64_t bits, std::size_t i) {
    using vector = float __attribute__((ext_vector_type(4)));
    float a, b;
    operands(bits, i, a, b);
    const vector least = __builtin_elementwise_minimum(vector{a, b, 1, -0.0f}, vector{b, a, a, 0});
    return bits_of(least[0]) + 3 * bits_of(least[1]) + 5 * bits_of(least[2]) + 7 * bits_of(least[3]);
  });
}
#endif

TEST("rounding and kinds of numbers") {
  check_same<uint64_t>([](uint64_t bits, std::size_t) {
    const double x = static_cast<double>(static_cast<std::int64_t>(bits % 100000)) / 16 - 3000;
    const auto y = static_cast<float>(x);
    return bits_of(__builtin_elementwise_roundeven(x)) + 3 * bits_of(std::trunc(x)) + 5 * bits_of(std::round(y)) +
           7 * bits_of(std::nearbyint(y)) + 11 * static_cast<uint64_t>(std::lrint(x)) +
           13 * static_cast<uint64_t>(std::llround(x)) + 17 * bits_of(std::ldexp(x, 3));
  });
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    float value = some_float(bits);
    if (i % 8 == 0) value = std::numeric_limits<float>::quiet_NaN();
    if (i % 8 == 1) value = -std::numeric_limits<float>::infinity();
    if (i % 8 == 2) value = -0.0f;
    if (i % 8 == 3) value = 1e-42f;
    uint64_t kinds = 0;
    kinds = 2 * kinds + __builtin_isfpclass(value, 0x3);
    kinds = 2 * kinds + __builtin_isfpclass(value, 0x204);
    kinds = 2 * kinds + __builtin_isfpclass(value, 0x90);
    kinds = 2 * kinds + __builtin_isfpclass(value, 0x60);
    kinds = 2 * kinds + __builtin_isfpclass(value, 0x108);
    // clang 19 has this function, but can't generate code for it on x86.
    if constexpr (__clang_major__ >= 22)
      kinds += value != value ? 0 : bits_of(__builtin_elementwise_canonicalize(value)) * 32;
    return kinds;
  });
}

TEST("shifts that saturate, and orders of two numbers") {
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    const std::int64_t wide = std::int64_t{static_cast<std::int32_t>(bits)} << (i % 32);
    const uint64_t up = uint64_t{static_cast<std::uint32_t>(bits)} << (i % 32);
    const auto order = static_cast<std::int64_t>(bits) <=> static_cast<std::int64_t>(i);
    const auto narrow = static_cast<std::uint8_t>(bits) <=> static_cast<std::uint8_t>(i);
    return static_cast<uint64_t>(std::clamp<std::int64_t>(wide, std::numeric_limits<std::int32_t>::min(),
                                                          std::numeric_limits<std::int32_t>::max())) +
           3 * std::min<uint64_t>(up, std::numeric_limits<std::uint32_t>::max()) +
           (order < 0 ? 5 : order > 0 ? 7 : 11) + (narrow < 0 ? 13 : narrow > 0 ? 17 : 19);
  });
}

TEST("truth values as bits of a number, and back") {
  using truths = bool __attribute__((ext_vector_type(8)));
  using numbers = int __attribute__((ext_vector_type(8)));
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    const auto low = static_cast<int>(bits);
    const numbers values = {low, low >> 1, low >> 2, low >> 3, low >> 4, static_cast<int>(i), 3, -1};
    const truths large = __builtin_convertvector(values > 1000, truths);
    unsigned char packed;
    std::memcpy(&packed, &large, 1);
    const auto byte = static_cast<unsigned char>(bits);
    truths unpacked;
    std::memcpy(&unpacked, &byte, 1);
    uint64_t result = packed;
    for (int k = 0; k < 8; ++k) result = 3 * result + (unpacked[k] ? 1 : 0);
    return result;
  });
}

TEST("addresses that are cut down, tables of tables, and constants with bytes that nobody sets") {
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    alignas(64) unsigned char bytes[128];
    for (int k = 0; k < 128; ++k) bytes[k] = static_cast<unsigned char>(bits + k);
    const unsigned char* const at = &bytes[i % 128];
    const unsigned char* const down = __builtin_align_down(at, 64);
    const unsigned char* const up = __builtin_align_up(at, 8);
    return *down + 7 * static_cast<uint64_t>(down - bytes) + 1000 * static_cast<uint64_t>(up - bytes);
  });
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    static const int first[3] = {1, 2, 3}, second[3] = {4, 5, 6}, third[3] = {7, 8, 9};
    static const int* const all[3] = {first, second, third};
    return static_cast<uint64_t>(all[bits % 3][i % 3]);
  });
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    struct row {
      char a;
      int b;
      char c;
      long d;
    };
    static const row rows[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    const row chosen = rows[bits % 4];
    return static_cast<uint64_t>(chosen.a + chosen.b * 3 + chosen.c * 7 + chosen.d * 11) + i;
  });
}

TEST("structures from either side of a branch") {
  struct large {
    uint64_t values[6];
  };
  check_same<uint64_t>([](uint64_t bits, std::size_t i) {
    const auto make = [](uint64_t x, uint64_t y) {
      large made{};
      for (unsigned k = 0; k < 6; ++k) made.values[k] = x * k + y;
      return made;
    };
    const large chosen = (bits & 1) != 0 ? make(bits, i) : make(i, bits);
    uint64_t result = 0;
    for (const uint64_t each : chosen.values) result = 31 * result + each;
    return result;
  });
}

TEST("atomic operations that few devices have") {
  sycl::queue queue = e2e::make_queue();
  constexpr auto relaxed = sycl::memory_order::relaxed;
  constexpr auto device = sycl::memory_scope::device;
  struct places {
    std::uint32_t bits;
    float least;
    double sum, last;
    uint64_t* pointer;
    uint64_t numbers[4];
  };
  places* const all = sycl::malloc_shared<places>(1, queue);
  *all = {0xffffffffu, 0, 0, 0, nullptr, {}};
  queue
      .parallel_for(sycl::nd_range<1>(256, 64),
                    [=](sycl::nd_item<1> item) {
                      const std::size_t i = item.get_global_id(0);
                      if (i == 0) __atomic_fetch_nand(&all->bits, 5u, __ATOMIC_RELAXED);
                      sycl::atomic_ref<float, relaxed, device>(all->least).fetch_min(-static_cast<float>(i));
                      sycl::atomic_ref<double, relaxed, device>(all->sum) += static_cast<double>(i);
                      sycl::atomic_ref<double, relaxed, device>(all->last).exchange(1.5);
                      uint64_t* expected = nullptr;
                      sycl::atomic_ref<uint64_t*, relaxed, device>(all->pointer)
                          .compare_exchange_strong(expected, all->numbers + i % 4);
                    })
      .wait();
  CHECK_EQUAL(all->bits, 0xfffffffau);
  CHECK_EQUAL(all->least, -255.0f);
  CHECK_EQUAL(all->sum, 255.0 * 128);
  CHECK_EQUAL(all->last, 1.5);
  CHECK(all->pointer >= all->numbers && all->pointer < all->numbers + 4);
  sycl::free(all, queue);
}

E2E_MAIN
