#pragma once
/// The machine's widest vectors of floats, for references with intrinsics: AVX-512, or else AVX2 with FMA.

#include <immintrin.h>

namespace bench {

#if defined(__AVX512F__)
using wide = __m512;
constexpr int wide_registers = 32;
inline wide wide_load(const float* from) { return _mm512_loadu_ps(from); }
inline void wide_store(float* to, wide a) { _mm512_storeu_ps(to, a); }
inline void wide_store_past_caches(float* to, wide a) { _mm512_stream_ps(to, a); }
inline wide wide_all(float a) { return _mm512_set1_ps(a); }
inline wide wide_fma(wide a, wide b, wide c) { return _mm512_fmadd_ps(a, b, c); }
inline wide wide_rsqrt_estimate(wide a) { return _mm512_rsqrt14_ps(a); }
#else
using wide = __m256;
constexpr int wide_registers = 16;
inline wide wide_load(const float* from) { return _mm256_loadu_ps(from); }
inline void wide_store(float* to, wide a) { _mm256_storeu_ps(to, a); }
inline void wide_store_past_caches(float* to, wide a) { _mm256_stream_ps(to, a); }
inline wide wide_all(float a) { return _mm256_set1_ps(a); }
inline wide wide_fma(wide a, wide b, wide c) { return _mm256_fmadd_ps(a, b, c); }
inline wide wide_rsqrt_estimate(wide a) { return _mm256_rsqrt_ps(a); }
#endif
constexpr int lanes = sizeof(wide) / sizeof(float);

}  // namespace bench
