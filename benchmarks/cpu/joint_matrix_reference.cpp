#include <immintrin.h>
#include <omp.h>

#include <cstring>

#include "references.hpp"
#include "wide.hpp"

namespace bench {
namespace {

float number(std::uint16_t bits) {
  const std::uint32_t word = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}
float number(float value) { return value; }
std::int32_t number(std::int8_t value) { return value; }

/// Computes a row of c at a time, and reads b in the order of its elements in memory.
template <std::size_t Pack, class T, class Sum>
void rows(const T* a, const T* b, Sum* c, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    Sum* const sums = c + i * n;
    for (std::size_t j = 0; j < n; ++j) sums[j] = 0;
    for (std::size_t k = 0; k < n; k += Pack) {
      const T* const words = b + k * n;
#pragma omp simd
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t p = 0; p < Pack; ++p) sums[j] += number(a[i * n + k + p]) * number(words[j * Pack + p]);
      }
    }
  }
}

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
__m512 sum_of(__m512 sum, __m512i a, __m512i b) {
  return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}
/// Multiplies signed bytes. The instruction needs unsigned bytes in a, so 128 is added to them.
__m512i sum_of(__m512i sum, __m512i a, __m512i b) {
  return _mm512_dpbusd_epi32(sum, _mm512_xor_si512(a, _mm512_set1_epi8(-128)), b);
}

/// Keeps 16 rows of 16 results in registers, and copies panels of b side by side. 256 words of the panel's columns, 16
/// KB, stay in the first-level cache for all rows.
template <class T, class Sum, class Wide>
void blocks(const T* a, const T* b, Sum* c, std::size_t n) {
  constexpr std::size_t pack = 4 / sizeof(T), most = 256;
  const std::size_t words = n / pack;
#pragma omp parallel for schedule(static)
  for (std::size_t column = 0; column < n; column += 16) {
    alignas(64) std::int32_t panel[most * 16];
    for (std::size_t first = 0; first < words; first += most) {
      const std::size_t count = words - first < most ? words - first : most;
      __m512i moved = _mm512_setzero_si512();
      for (std::size_t k = 0; k < count; ++k) {
        const __m512i row = _mm512_loadu_si512(b + ((first + k) * n + column) * pack);
        _mm512_store_si512(panel + k * 16, row);
        moved = _mm512_dpbusd_epi32(moved, _mm512_set1_epi8(-128), row);
      }
      for (std::size_t row = 0; row < n; row += 16) {
        Wide sums[16];
        for (std::size_t i = 0; i < 16; ++i) {
          if (first == 0) {
            sums[i] = Wide{};
          } else {
            std::memcpy(&sums[i], c + (row + i) * n + column, sizeof(Wide));
          }
          if constexpr (sizeof(T) == 1) sums[i] = _mm512_sub_epi32(sums[i], moved);
        }
        for (std::size_t k = 0; k < count; ++k) {
          const __m512i right = _mm512_load_si512(panel + k * 16);
#pragma clang loop unroll(full)
          for (std::size_t i = 0; i < 16; ++i) {
            std::int32_t left;
            std::memcpy(&left, a + (row + i) * n + (first + k) * pack, sizeof(left));
            sums[i] = sum_of(sums[i], _mm512_set1_epi32(left), right);
          }
        }
        for (std::size_t i = 0; i < 16; ++i) std::memcpy(c + (row + i) * n + column, &sums[i], sizeof(Wide));
      }
    }
  }
}
#endif

}  // namespace

void joint_matrix_floats(const float* a, const float* b, float* c, std::size_t n) { rows<1>(a, b, c, n); }
void joint_matrix_bfloats(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t n) {
  rows<2>(a, b, c, n);
}
void joint_matrix_bytes(const std::int8_t* a, const std::int8_t* b, std::int32_t* c, std::size_t n) {
  rows<4>(a, b, c, n);
}

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
void joint_matrix_bfloats_blocked(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t n) {
  blocks<std::uint16_t, float, __m512>(a, b, c, n);
}
void joint_matrix_bytes_blocked(const std::int8_t* a, const std::int8_t* b, std::int32_t* c, std::size_t n) {
  blocks<std::int8_t, std::int32_t, __m512i>(a, b, c, n);
}
#else
// If the machine has no dot-product instructions for small elements, the reference is the plain loop, which the
// compiler vectorises.
void joint_matrix_bfloats_blocked(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t n) {
  joint_matrix_bfloats(a, b, c, n);
}
void joint_matrix_bytes_blocked(const std::int8_t* a, const std::int8_t* b, std::int32_t* c, std::size_t n) {
  joint_matrix_bytes(a, b, c, n);
}
#endif

}  // namespace bench
