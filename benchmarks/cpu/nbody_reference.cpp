#include <algorithm>
#include <cmath>
#include <cstring>

#include "references.hpp"
#include "wide.hpp"

namespace bench {
namespace {

/// The estimate has 11 to 14 bits; one step of Newton's method doubles their number.
inline wide reciprocal_square_root(wide a) {
  const wide estimate = wide_rsqrt_estimate(a);
  const wide rest = wide_fma(-a * estimate, estimate, wide_all(1));
  return wide_fma(estimate * wide_all(0.5f), rest, estimate);
}

// The number of vectors of bodies that registers hold: six registers for each vector, and four for the body that acts
// on them.
constexpr std::size_t vectors = wide_registers == 32 ? 4 : 2;
constexpr std::size_t block = vectors * lanes;

}  // namespace

double nbody_rsqrt_error() {
  double largest = 0;
  for (float start = 0x1p-10f; start < 16; start *= 4) {
    for (int step = 0; step < 1 << 16; ++step) {
      alignas(64) float values[lanes], roots[lanes];
      for (int k = 0; k < lanes; ++k) {
        values[k] = start * (1 + 3 * (static_cast<float>(step) + static_cast<float>(k) / lanes) / 65536);
      }
      wide_store(roots, reciprocal_square_root(wide_load(values)));
      for (int k = 0; k < lanes; ++k) {
        const double exact = 1 / std::sqrt(static_cast<double>(values[k]));
        const float below = static_cast<float>(std::exp2(std::floor(std::log2(exact))));
        largest =
            std::max(largest, std::abs(static_cast<double>(roots[k]) - exact) / (static_cast<double>(below) * 0x1p-23));
      }
    }
  }
  return largest;
}

void nbody_intrinsics(const float* bodies, float* accelerations, std::size_t count, float softening) {
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < count; first += block) {
    float own[3][block] = {}, sums[3][block];
    for (std::size_t i = 0; i < std::min(block, count - first); ++i) {
      for (std::size_t k = 0; k < 3; ++k) own[k][i] = bodies[4 * (first + i) + k];
    }
    wide position[3][vectors], sum[3][vectors];
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t v = 0; v < vectors; ++v) {
        position[k][v] = wide_load(own[k] + v * lanes);
        sum[k][v] = wide_all(0);
      }
    }
    const wide soft = wide_all(softening);
    for (std::size_t j = 0; j < count; ++j) {
      const wide other_x = wide_all(bodies[4 * j]), other_y = wide_all(bodies[4 * j + 1]);
      const wide other_z = wide_all(bodies[4 * j + 2]), mass = wide_all(bodies[4 * j + 3]);
#pragma clang loop unroll(full)
      for (std::size_t v = 0; v < vectors; ++v) {
        const wide x = other_x - position[0][v], y = other_y - position[1][v], z = other_z - position[2][v];
        const wide inverse = reciprocal_square_root(wide_fma(x, x, wide_fma(y, y, wide_fma(z, z, soft))));
        const wide scale = mass * inverse * (inverse * inverse);
        sum[0][v] = wide_fma(x, scale, sum[0][v]);
        sum[1][v] = wide_fma(y, scale, sum[1][v]);
        sum[2][v] = wide_fma(z, scale, sum[2][v]);
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t v = 0; v < vectors; ++v) wide_store(sums[k] + v * lanes, sum[k][v]);
    }
    for (std::size_t i = 0; i < std::min(block, count - first); ++i) {
      for (std::size_t k = 0; k < 3; ++k) accelerations[4 * (first + i) + k] = sums[k][i];
      accelerations[4 * (first + i) + 3] = 0;
    }
  }
}

}  // namespace bench
