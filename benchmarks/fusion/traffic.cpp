#include "traffic.hpp"

#include <cstdint>

extern "C" void kmp_set_blocktime(int milliseconds);

void traffic(const char* from, char* to, std::size_t read, std::size_t written) {
  using vector = float __attribute__((vector_size(64)));
  auto aligned = [](auto address) { return (reinterpret_cast<std::uintptr_t>(address) + 63) / 64 * 64; };
  const auto* in = reinterpret_cast<const vector*>(aligned(from));
  auto* out = reinterpret_cast<vector*>(aligned(to));
  const std::size_t reads = read / sizeof(vector), writes = written / sizeof(vector);
#pragma omp parallel
  {
    vector sum{};
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < reads; ++i) sum += in[i];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < writes; ++i) __builtin_nontemporal_store(sum, out + i);
  }
}

void openmp_awake() { kmp_set_blocktime(200); }

void openmp_asleep() {
  kmp_set_blocktime(0);
  // The workers read the new setting only at the end of a region, so this is an empty region.
#pragma omp parallel
  {
    __asm__ volatile("" ::: "memory");
  }
}
