#include "everyday_reference.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace everyday {
namespace {

/// body(first, last) for the columns of each thread.
template <class Body>
void by_columns(std::size_t n, const Body& body) {
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    body(n * me / threads, n * (me + 1) / threads);
  }
}

}  // namespace

void column_sums(const float* in, float* out, std::size_t n) {
  by_columns(n, [&](std::size_t first, std::size_t last) {
    std::fill(out + first, out + last, 0.0f);
    for (std::size_t row = 0; row < n; ++row) {
#pragma omp simd
      for (std::size_t x = first; x < last; ++x) out[x] += in[row * n + x];
    }
  });
}

void sums_down_columns(const float* in, float* out, std::size_t n) {
  by_columns(n, [&](std::size_t first, std::size_t last) {
    std::copy(in + first, in + last, out + first);
    for (std::size_t row = 1; row < n; ++row) {
#pragma omp simd
      for (std::size_t x = first; x < last; ++x) out[row * n + x] = out[(row - 1) * n + x] + in[row * n + x];
    }
  });
}

void transposed_product(const float* matrix, const float* vector, float* out, std::size_t n) {
  by_columns(n, [&](std::size_t first, std::size_t last) {
    std::fill(out + first, out + last, 0.0f);
    for (std::size_t row = 0; row < n; ++row) {
#pragma omp simd
      for (std::size_t x = first; x < last; ++x) out[x] += vector[row] * matrix[row * n + x];
    }
  });
}

void twice_the_root(const float* in, float* out, std::size_t count) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < count; ++i) out[i] = 2 * std::sqrt(in[i]);
}

float sum(const float* in, std::size_t count) {
  float all = 0;
#pragma omp parallel for simd reduction(+ : all)
  for (std::size_t i = 0; i < count; ++i) all += in[i];
  return all;
}

void box(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t y = 0; y < n; ++y) {
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) {
      float all = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) all += in[(y + j) * (n + 2) + x + k];
      }
      out[y * n + x] = all;
    }
  }
}

void scaled_rows(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t y = 0; y < n; ++y) {
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) out[y * n + x] = in[y * n + x] * in[y * n];
  }
}

void histogram(const std::uint8_t* in, std::uint32_t* bins, std::size_t count) {
  std::fill_n(bins, 256, 0u);
#pragma omp parallel
  {
    std::vector<std::uint32_t> mine(256);
#pragma omp for nowait
    for (std::size_t i = 0; i < count; ++i) ++mine[in[i]];
#pragma omp critical
    for (int k = 0; k < 256; ++k) bins[k] += mine[static_cast<std::size_t>(k)];
  }
}

}  // namespace everyday
