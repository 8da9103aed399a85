#include "references.hpp"
#include "wide.hpp"

namespace bench {

namespace {

/// Types for the numbers of iterations of all lanes, and for a mask of the lanes that still iterate.
#if defined(__AVX512F__)
using wide_count = __m512i;
using wide_mask = __mmask16;
inline wide_count no_counts() { return _mm512_setzero_si512(); }
inline wide_mask not_above(wide a, wide b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
inline bool any(wide_mask mask) { return mask != 0; }
inline wide_count count_one_more(wide_count counts, wide_mask mask) {
  return _mm512_mask_add_epi32(counts, mask, counts, _mm512_set1_epi32(1));
}
inline void store(int* to, wide_count counts) { _mm512_storeu_si512(to, counts); }
inline wide wide_numbers() { return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
inline wide multiply_subtract(wide a, wide b, wide c) { return _mm512_fmsub_ps(a, b, c); }
#else
using wide_count = __m256i;
using wide_mask = __m256;
inline wide_count no_counts() { return _mm256_setzero_si256(); }
inline wide_mask not_above(wide a, wide b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
inline bool any(wide_mask mask) { return _mm256_movemask_ps(mask) != 0; }
inline wide_count count_one_more(wide_count counts, wide_mask mask) {
  return _mm256_sub_epi32(counts, _mm256_castps_si256(mask));  // a lane that continues is -1
}
inline void store(int* to, wide_count counts) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), counts); }
inline wide wide_numbers() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
inline wide multiply_subtract(wide a, wide b, wide c) { return _mm256_fmsub_ps(a, b, c); }
#endif

/// Iterates `Vectors` vectors of neighbouring pixels until all pixels have escaped. Lanes whose point has escaped still
/// iterate, but these iterations are not counted: escaped points never return, and comparisons with infinities and NaN
/// are false.
template <int Vectors>
inline void escape(const mandelbrot_view& view, const wide (&real)[Vectors], wide imaginary, int* counts) {
  const wide four = wide_all(4);
  wide x[Vectors], y[Vectors];
  wide_count count[Vectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < Vectors; ++v) {
    x[v] = y[v] = wide_all(0);
    count[v] = no_counts();
  }
  for (int n = 0; n < view.limit; ++n) {
    bool going_on = false;
#pragma clang loop unroll(full)
    for (int v = 0; v < Vectors; ++v) {
      const wide squared = y[v] * y[v];
      const wide_mask inside = not_above(wide_fma(x[v], x[v], squared), four);
      going_on |= any(inside);
      count[v] = count_one_more(count[v], inside);
      const wide next = multiply_subtract(x[v], x[v], squared) + real[v];
      y[v] = wide_fma(x[v] + x[v], y[v], imaginary);
      x[v] = next;
    }
    if (!going_on) break;
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < Vectors; ++v) store(counts + v * lanes, count[v]);
}

template <int Vectors>
void picture(const mandelbrot_view& view, int* counts) {
  constexpr std::size_t block = Vectors * lanes;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t row = 0; row < view.height; ++row) {
    const wide imaginary = wide_all(view.top + view.step * static_cast<float>(row));
    for (std::size_t column = 0; column < view.width; column += block) {
      wide real[Vectors];
      for (int v = 0; v < Vectors; ++v) {
        const wide number = wide_all(static_cast<float>(column + static_cast<std::size_t>(v) * lanes)) + wide_numbers();
        real[v] = wide_fma(wide_all(view.step), number, wide_all(view.left));
      }
      int* to = counts + row * view.width + column;
      if (column + block <= view.width) {
        escape<Vectors>(view, real, imaginary, to);
        continue;
      }
      int edge[block];
      escape<Vectors>(view, real, imaginary, edge);
      for (std::size_t i = 0; i < view.width - column; ++i) to[i] = edge[i];
    }
  }
}

}  // namespace

void mandelbrot_masked(const mandelbrot_view& view, int* counts) { picture<1>(view, counts); }
void mandelbrot_masked_twice(const mandelbrot_view& view, int* counts) { picture<2>(view, counts); }

}  // namespace bench
