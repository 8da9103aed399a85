#include "references.hpp"

namespace bench {

float reduction_simd(const float* values, std::size_t count) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

}  // namespace bench
