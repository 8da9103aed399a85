#include <omp.h>

#include <vector>

#include "references.hpp"

namespace bench {

void scan_chunks(const std::uint32_t* values, std::uint32_t* sums, std::size_t count) {
  std::vector<std::uint32_t> starts(static_cast<std::size_t>(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads()),
               self = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = count * self / threads, last = count * (self + 1) / threads;
    std::uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = first; i < last; ++i) sum += values[i];
    starts[self + 1] = sum;
#pragma omp barrier
    sum = 0;
    for (std::size_t k = 0; k <= self; ++k) sum += starts[k];
    for (std::size_t i = first; i < last; ++i) sums[i] = sum += values[i];
  }
}

}  // namespace bench
