#include "loops.hpp"

#include <tbb/parallel_for.h>

void openmp_add(float* data, std::size_t count) {
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) data[i] += 1.0f;
}

void tbb_add(float* data, std::size_t count) {
  tbb::parallel_for(std::size_t{0}, count, [=](std::size_t i) { data[i] += 1.0f; });
}

void plain_add(float* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) data[i] += 1.0f;
}
