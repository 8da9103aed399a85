#include "loops.hpp"

#include <omp.h>

extern "C" void kmp_set_blocktime(int milliseconds);

void openmp_add(const float* a, const float* b, float* c, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

void openmp_triad(const float* a, const float* b, float* c, float factor, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + factor * b[i];
}

void openmp_peak(const float* a, const float* b, float* c, std::size_t count) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) __builtin_nontemporal_store(a[i] + b[i], c + i);
}

void openmp_calm() { kmp_set_blocktime(0); }
