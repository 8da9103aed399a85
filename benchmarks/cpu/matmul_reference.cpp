#include <omp.h>

#include <algorithm>
#include <cstdlib>

#include "references.hpp"
#include "wide.hpp"

namespace bench {

namespace {

// The size of the block of sums leaves enough registers for a row of b and for one element of a.
constexpr std::size_t block_rows = wide_registers == 32 ? 14 : 6;
constexpr std::size_t block_columns = 2 * lanes;
constexpr std::size_t depth = 256;                  // a panel of b, 16 or 32 KB, stays in the first-level cache
constexpr std::size_t most_rows = 16 * block_rows;  // rows of a, 100 or 230 KB, stay in the second-level cache

constexpr std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

/// Computes one block of c, from packed rows of a and packed columns of b.
void multiply_block(const float* a, const float* b, std::size_t steps, float* c, std::size_t pitch, bool add) {
  wide sums[block_rows][2];
#pragma clang loop unroll(full)
  for (std::size_t i = 0; i < block_rows; ++i) sums[i][0] = sums[i][1] = wide_all(0);
  for (std::size_t k = 0; k < steps; ++k) {
    const wide left = wide_load(b + k * block_columns), right = wide_load(b + k * block_columns + lanes);
#pragma clang loop unroll(full)
    for (std::size_t i = 0; i < block_rows; ++i) {
      const wide factor = wide_all(a[k * block_rows + i]);
      sums[i][0] = wide_fma(factor, left, sums[i][0]);
      sums[i][1] = wide_fma(factor, right, sums[i][1]);
    }
  }
#pragma clang loop unroll(full)
  for (std::size_t i = 0; i < block_rows; ++i) {
    float* row = c + i * pitch;
    wide_store(row, add ? wide_load(row) + sums[i][0] : sums[i][0]);
    wide_store(row + lanes, add ? wide_load(row + lanes) + sums[i][1] : sums[i][1]);
  }
}

float* aligned_floats(std::size_t count) {
  return static_cast<float*>(std::aligned_alloc(64, round_up(count * sizeof(float), 64)));
}

}  // namespace

void matmul_blocked(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t panels = round_up(n, block_columns) / block_columns;
  // Each thread gets the same number of bands.
  const std::size_t bands =
      round_up(round_up(n, most_rows) / most_rows, static_cast<std::size_t>(omp_get_max_threads()));
  const std::size_t band = round_up((n + bands - 1) / bands, block_rows);
  float* packed_b = aligned_floats(panels * block_columns * depth);
#pragma omp parallel
  {
    float* packed_a = aligned_floats(band * depth);
    for (std::size_t start = 0; start < n; start += depth) {
      const std::size_t steps = std::min(depth, n - start);
#pragma omp for schedule(static)
      for (std::size_t panel = 0; panel < panels; ++panel) {
        float* to = packed_b + panel * block_columns * depth;
        for (std::size_t k = 0; k < steps; ++k) {
          for (std::size_t j = 0; j < block_columns; ++j) {
            const std::size_t column = panel * block_columns + j;
            to[k * block_columns + j] = column < n ? b[(start + k) * n + column] : 0;
          }
        }
      }
#pragma omp for schedule(dynamic)
      for (std::size_t row = 0; row < n; row += band) {
        const std::size_t rows = std::min(band, n - row);
        for (std::size_t i = 0; i < rows; i += block_rows) {
          for (std::size_t k = 0; k < steps; ++k) {
            for (std::size_t r = 0; r < block_rows; ++r) {
              packed_a[i * depth + k * block_rows + r] = i + r < rows ? a[(row + i + r) * n + start + k] : 0;
            }
          }
        }
        for (std::size_t panel = 0; panel < panels; ++panel) {
          const std::size_t column = panel * block_columns, columns = std::min(block_columns, n - column);
          for (std::size_t i = 0; i < rows; i += block_rows) {
            const float* from_a = packed_a + i * depth;
            const float* from_b = packed_b + panel * block_columns * depth;
            float* to = c + (row + i) * n + column;
            if (i + block_rows <= rows && columns == block_columns) {
              multiply_block(from_a, from_b, steps, to, n, start > 0);
              continue;
            }
            float edge[block_rows * block_columns];
            multiply_block(from_a, from_b, steps, edge, block_columns, false);
            for (std::size_t r = 0; r < std::min(block_rows, rows - i); ++r) {
              for (std::size_t j = 0; j < columns; ++j) {
                to[r * n + j] = (start > 0 ? to[r * n + j] : 0) + edge[r * block_columns + j];
              }
            }
          }
        }
      }
    }
    std::free(packed_a);
  }
  std::free(packed_b);
}

}  // namespace bench
