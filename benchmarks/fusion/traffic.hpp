#pragma once
/// Moves as many bytes as the benchmark's loops must move, to measure the limit that memory sets. Also lets OpenMP's
/// threads sleep while Sinter is measured.

#include <cstddef>

/// Reads `read` bytes and writes `written` bytes, beginning at the next whole cache line. The writes bypass the caches.
/// Fused kernels can't avoid this traffic. This loop makes the traffic at the memory's peak speed.
void traffic(const char* from, char* to, std::size_t read, std::size_t written);
/// Sets whether OpenMP's threads stay awake between regions. The threads stay awake while OpenMP's loops are measured.
/// Otherwise the threads sleep, so that they do not slow down other measurements.
void openmp_awake();
void openmp_asleep();
