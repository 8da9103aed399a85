#pragma once
/// The benchmark's loop without Sinter: with OpenMP, with oneTBB and as a plain call.

#include <cstddef>

void openmp_add(float* data, std::size_t count);
void tbb_add(float* data, std::size_t count);
void plain_add(float* data, std::size_t count);
