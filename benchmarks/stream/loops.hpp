#pragma once
/// The loops with which the benchmark compares kernels. openmp_loops.cpp defines them and is compiled with
/// -march=native and OpenMP.

#include <cstddef>

void openmp_add(const float* a, const float* b, float* c, std::size_t count);
void openmp_triad(const float* a, const float* b, float* c, float factor, std::size_t count);

/// Reads two arrays and writes one. The stores are non-temporal and bypass the caches, so the loop shows the memory's
/// peak bandwidth.
void openmp_peak(const float* a, const float* b, float* c, std::size_t count);

/// Makes OpenMP's threads sleep right after a region, so that they do not slow down the next measurement.
void openmp_calm();
