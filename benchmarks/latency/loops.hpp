#pragma once
/// The benchmark's loop as programs without Sinter write it.

#include <cstddef>

void openmp_add(float* data, std::size_t count);
void tbb_add(float* data, std::size_t count);
void plain_add(float* data, std::size_t count);
