#include "everyday_reference.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace everyday {
namespace {

/// Divides the columns between threads. Each thread calls body(first, last) with its columns.
template <class Body>
void by_columns(std::size_t n, const Body& body) {
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    body(n * me / threads, n * (me + 1) / threads);
  }
}

template <class T>
void means(const T* in, T* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t y = 0; y < n; ++y) {
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) {
      T all = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const T* from = in + (y + j) * (n + 2) + x;
        all = static_cast<T>(all + static_cast<T>((from[0] + from[1] + from[2]) / T(9)));
      }
      out[y * n + x] = all;
    }
  }
}

}  // namespace

void means_of_nine(const std::uint8_t* in, std::uint8_t* out, std::size_t n) { means(in, out, n); }
void means_of_nine(const std::uint16_t* in, std::uint16_t* out, std::size_t n) { means(in, out, n); }
void means_of_nine(const float* in, float* out, std::size_t n) { means(in, out, n); }

void brighter(const std::uint8_t* in, std::uint8_t* out, std::size_t count) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(std::min(in[i] * 5 / 4 + 10, 255));
}

void grey(const std::uint8_t* in, std::uint8_t* out, std::size_t count) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint8_t>((in[3 * i] * 77 + in[3 * i + 1] * 150 + in[3 * i + 2] * 29) >> 8);
}

void row_sums(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    float all = 0;
#pragma omp simd reduction(+ : all)
    for (std::size_t x = 0; x < n; ++x) all += in[row * n + x];
    out[row] = all;
  }
}

void product_with_row(const float* matrix, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    float all = 0;
#pragma omp simd reduction(+ : all)
    for (std::size_t x = 0; x < n; ++x) all += matrix[row * n + x] * matrix[x];
    out[row] = all;
  }
}

void layer_norm_of_rows(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    const float* from = in + row * n;
    float all = 0, squares = 0;
#pragma omp simd reduction(+ : all)
    for (std::size_t x = 0; x < n; ++x) all += from[x];
    const float mean = all / static_cast<float>(n);
#pragma omp simd reduction(+ : squares)
    for (std::size_t x = 0; x < n; ++x) squares += (from[x] - mean) * (from[x] - mean);
    const float factor = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5f);
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) out[row * n + x] = (from[x] - mean) * factor;
  }
}

void softmax_of_rows(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    const float* from = in + row * n;
    float* to = out + row * n;
    float most = from[0], all = 0;
#pragma omp simd reduction(max : most)
    for (std::size_t x = 1; x < n; ++x) most = std::fmax(most, from[x]);
#pragma omp simd reduction(+ : all)
    for (std::size_t x = 0; x < n; ++x) all += to[x] = std::exp(from[x] - most);
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) to[x] /= all;
  }
}

void box_inside(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t y = 0; y < n - 2; ++y) {
#pragma omp simd
    for (std::size_t x = 0; x < n - 2; ++x) {
      float all = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) all += in[(y + j) * n + x + k];
      }
      out[y * n + x] = all;
    }
  }
}

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

void window(const float* in, float* out, std::size_t n, int reach) {
  const int width = static_cast<int>(n);
#pragma omp parallel for
  for (int y = 0; y < width; ++y) {
    const float* from = in + static_cast<std::size_t>(y) * n;
    float* to = out + static_cast<std::size_t>(y) * n;
    const auto at = [&](int x) {
      float all = 0;
      for (int d = -reach; d <= reach; ++d) all += from[std::clamp(x + d, 0, width - 1)];
      to[x] = all;
    };
    const int first = std::min(reach, width), last = std::max(first, width - reach);
    for (int x = 0; x < first; ++x) at(x);
#pragma omp simd
    for (int x = first; x < last; ++x) {
      float all = 0;
      for (int d = -reach; d <= reach; ++d) all += from[x + d];
      to[x] = all;
    }
    for (int x = last; x < width; ++x) at(x);
  }
}

void halves(const float* in, float* out, std::size_t n) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n * n; ++i) out[i] = in[i] * 0.5f;
}

void prefixes(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    float all = 0;
    for (std::size_t i = row * n; i < (row + 1) * n; ++i) out[i] = all += in[i];
  }
}

void layer_norm(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    const float* from = in + row * n;
    float all = 0, squares = 0;
    for (std::size_t x = 0; x < n; ++x) all += from[x];
    const float mean = all / static_cast<float>(n);
    for (std::size_t x = 0; x < n; ++x) squares += (from[x] - mean) * (from[x] - mean);
    const float factor = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5f);
#pragma omp simd
    for (std::size_t x = 0; x < n; ++x) out[row * n + x] = (from[x] - mean) * factor;
  }
}

void softmax(const float* in, float* out, std::size_t n) {
#pragma omp parallel for
  for (std::size_t row = 0; row < n; ++row) {
    const float* from = in + row * n;
    float* to = out + row * n;
    float most = from[0], all = 0;
    for (std::size_t x = 1; x < n; ++x) most = std::fmax(most, from[x]);
    for (std::size_t x = 0; x < n; ++x) all += to[x] = std::exp(from[x] - most);
    for (std::size_t x = 0; x < n; ++x) to[x] /= all;
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
