#include "chain_loops.hpp"

void openmp_step(const float* from, float* to, int k, std::size_t count) {
  const step_numbers numbers = step(k);
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i] * numbers.factor + numbers.term;
}

template <int Steps>
static void hand_fused(const float* from, float* to, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) {
    float value = from[i];
    for (int k = 0; k < Steps; ++k) value = value * step(k).factor + step(k).term;
    to[i] = value;
  }
}

void openmp_hand_fused(const float* from, float* to, int steps, std::size_t count) {
  if (steps == 2) hand_fused<2>(from, to, count);
  if (steps == 5) hand_fused<5>(from, to, count);
  if (steps == 10) hand_fused<10>(from, to, count);
}
