#pragma once
/// The chain of element-wise steps as OpenMP loops: one loop per step, or one loop written by hand for all steps.

#include <cstddef>

/// The constants of step k of a chain, which computes x * factor + term.
struct step_numbers {
  float factor, term;
};
constexpr step_numbers step(int k) {
  return {0.5f + 0.125f * static_cast<float>(k % 7), 1.0f / static_cast<float>(k + 1)};
}

void openmp_step(const float* from, float* to, int k, std::size_t count);
/// Chains of 2, 5 and 10 steps in one loop.
void openmp_hand_fused(const float* from, float* to, int steps, std::size_t count);
