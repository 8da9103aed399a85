#pragma once
/// The machine's limits for these loops, and a switch that keeps OpenMP's threads out of the way.

#include <cstddef>

/// Reads and writes this many bytes, from the next full line on, past the caches: the traffic that the fused form can't
/// avoid, at the memory's peak.
void traffic(const char* from, char* to, std::size_t read, std::size_t written);
/// OpenMP's threads stay awake between regions while its loops are measured, and take no time from later measurements.
void openmp_awake();
void openmp_asleep();
