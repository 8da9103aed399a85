#pragma once
/// The machine's limits for these loops, and a switch that keeps OpenMP's threads out of the way.

#include <cstddef>

/// Reads and writes these numbers of bytes past the caches, from the next full line on. The fused form can't avoid this
/// traffic, which runs at the memory's peak.
void traffic(const char* from, char* to, std::size_t read, std::size_t written);
/// OpenMP's threads stay awake between regions while its loops are measured, and take no time from later measurements.
void openmp_awake();
void openmp_asleep();
