/// Measures the machine's peaks: multiply-adds on registers, and loads and stores without computing.

#include <omp.h>

#include "references.hpp"
#include "wide.hpp"

extern "C" void kmp_set_blocktime(int milliseconds);

namespace bench {

void openmp_awake() { kmp_set_blocktime(200); }

void openmp_asleep() {
  kmp_set_blocktime(0);
  // The workers read the new setting only at the end of a region, so this is an empty region.
#pragma omp parallel
  {
    __asm__ volatile("" ::: "memory");
  }
}

double peak_multiply_add(double operations) {
  // Runs the requested number of operations, so that other load on the machine affects the peak as much as the measured
  // sides.
  constexpr int chains = 10;
  const double per_step = 2.0 * lanes * chains * omp_get_max_threads();
  const long steps = static_cast<long>(operations / per_step) + 1000;
  double seconds = 0;
#pragma omp parallel reduction(max : seconds)
  {
    wide values[chains];
    for (int k = 0; k < chains; ++k) values[k] = wide_all(static_cast<float>(k));
    wide factor = wide_all(0.5f), term = wide_all(0.25f);
#pragma omp barrier
    const double start = omp_get_wtime();
    for (long i = 0; i < steps; ++i) {
      __asm__ volatile("" : "+v"(factor), "+v"(term));
#pragma clang loop unroll(full)
      for (int k = 0; k < chains; ++k) values[k] = wide_fma(values[k], factor, term);
    }
    seconds = omp_get_wtime() - start;
    for (int k = 0; k < chains; ++k) __asm__ volatile("" ::"v"(values[k]));
  }
  return seconds * 1e3 * operations / (per_step * static_cast<double>(steps));
}

namespace {

// Values are combined as bits, because arithmetic on floats is slower for some values.
using wide_bits = long long __attribute__((vector_size(sizeof(wide))));

template <int Reads, int Writes, bool PastCaches>
void stream(const traffic& wanted) {
  constexpr long step = 4;
  const long blocks = static_cast<long>(wanted.bytes / sizeof(wide)) / step;
#pragma omp parallel
  {
    wide_bits sums[step] = {};
#pragma omp for schedule(static)
    for (long block = 0; block < blocks; ++block) {
#pragma clang loop unroll(full)
      for (long k = 0; k < step; ++k) {
        const long at = (block * step + k) * lanes;
        wide_bits value = sums[k];
        for (int i = 0; i < Reads; ++i) value |= (wide_bits)wide_load(static_cast<const float*>(wanted.from[i]) + at);
        for (int i = 0; i < Writes; ++i) {
          float* to = static_cast<float*>(wanted.to[i]) + at;
          PastCaches ? wide_store_past_caches(to, (wide)value) : wide_store(to, (wide)value);
        }
        if (Writes == 0) sums[k] = value;
      }
    }
    for (wide_bits& each : sums) __asm__ volatile("" ::"v"(each));
  }
}

template <int Reads, int Writes>
void stream(const traffic& wanted) {
  // If results fit a cache, ordinary stores, which write into the cache, are faster.
  const std::size_t footprint = (Reads + Writes) * wanted.bytes;
  footprint > (std::size_t{16} << 20) ? stream<Reads, Writes, true>(wanted) : stream<Reads, Writes, false>(wanted);
}

}  // namespace

double peak_memory(const traffic& wanted, int runs) {
  openmp_awake();
  const double start = omp_get_wtime();
  for (int i = 0; i < runs; ++i) {
    switch (wanted.reads * 10 + wanted.writes) {
      case 1:
        stream<0, 1>(wanted);
        break;
      case 10:
        stream<1, 0>(wanted);
        break;
      case 11:
        stream<1, 1>(wanted);
        break;
      case 20:
        stream<2, 0>(wanted);
        break;
      case 21:
        stream<2, 1>(wanted);
        break;
      case 31:
        stream<3, 1>(wanted);
        break;
      case 32:
        stream<3, 2>(wanted);
        break;
      default:
        __builtin_trap();
    }
  }
  const double seconds = omp_get_wtime() - start;
  openmp_asleep();
  return seconds * 1e3 / runs;
}

}  // namespace bench
