#include "references.hpp"

namespace bench {

void histogram_private(const std::uint8_t* values, std::uint32_t* bins, std::size_t count) {
  for (std::size_t k = 0; k < 256; ++k) bins[k] = 0;
  const std::size_t fours = count / 4;
#pragma omp parallel
  {
    // With four sets of bins, equal neighbouring bytes need not wait for each other's addition.
    std::uint32_t own[4][256] = {};
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < fours; ++i) {
      for (std::size_t k = 0; k < 4; ++k) ++own[k][values[4 * i + k]];
    }
#pragma omp critical
    for (std::size_t k = 0; k < 256; ++k) bins[k] += own[0][k] + own[1][k] + own[2][k] + own[3][k];
  }
  for (std::size_t i = 4 * fours; i < count; ++i) ++bins[values[i]];
}

}  // namespace bench
