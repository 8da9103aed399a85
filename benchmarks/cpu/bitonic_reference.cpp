#include <algorithm>
#include <utility>

#include "references.hpp"

namespace bench {
namespace {

// Shorter strides stay within a vector.
constexpr std::size_t width = 16;
using keys = std::uint32_t __attribute__((vector_size(width * sizeof(std::uint32_t))));
constexpr keys lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

template <std::uint32_t Stride, int... Lane>
inline keys partners(keys all, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(all, all, (Lane ^ static_cast<int>(Stride))...);
}

/// Compares and exchanges elements at distance `Stride` within a vector. In lanes of a descending run, all bits of
/// `descending` are set.
template <std::uint32_t Stride>
inline keys exchange(keys all, keys descending) {
  const keys other = partners<Stride>(all, std::make_integer_sequence<int, static_cast<int>(width)>());
  const auto takes_larger = ((lane_numbers & Stride) != 0) ^ (descending != 0);
  return takes_larger ? __builtin_elementwise_max(all, other) : __builtin_elementwise_min(all, other);
}

/// Runs the steps whose strides are shorter than a vector. If `unsorted` is set, begins with runs of two keys.
inline void within_vectors(std::uint32_t* run, std::size_t start, std::size_t length, std::size_t size, bool unsorted) {
  for (std::size_t i = start; i < start + length; i += width) {
    keys all;
    __builtin_memcpy(&all, run + i, sizeof(all));
    if (unsorted) {
      all = exchange<1>(all, lane_numbers & 2);
      all = exchange<1>(exchange<2>(all, lane_numbers & 4), lane_numbers & 4);
      all = exchange<1>(exchange<2>(exchange<4>(all, lane_numbers & 8), lane_numbers & 8), lane_numbers & 8);
    }
    const keys descending = keys{} + static_cast<std::uint32_t>(i & size);
    all = exchange<4>(exchange<8>(all, descending), descending);
    all = exchange<1>(exchange<2>(all, descending), descending);
    __builtin_memcpy(run + i, &all, sizeof(all));
  }
}

inline void exchange_arrays(std::uint32_t* low, std::uint32_t* high, std::size_t count) {
#pragma omp simd
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t a = low[k], b = high[k];
    low[k] = a < b ? a : b;
    high[k] = a < b ? b : a;
  }
}

/// Compares and swaps the keys in [start, start + length): first pairs at distance `stride`, then at half this
/// distance, and so on down to the width of a vector. Every second run of `size` keys is sorted downwards.
inline void between_vectors(std::uint32_t* run, std::size_t start, std::size_t length, std::size_t size,
                            std::size_t stride) {
  for (; stride >= width; stride /= 2) {
    for (std::size_t i = start; i < start + length; i += 2 * stride) {
      std::uint32_t *low = run + i, *high = run + i + stride;
      if ((i & size) != 0) std::swap(low, high);
      exchange_arrays(low, high, stride);
    }
  }
}

}  // namespace

void bitonic_network(const std::uint32_t* values, std::uint32_t* sorted, std::size_t count) {
  // A block's keys, 64 KB, stay in the second-level cache.
  const std::size_t block = std::min<std::size_t>(count, 1 << 14);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t start = 0; start < count; start += block) {
      std::copy_n(values + start, block, sorted + start);
      within_vectors(sorted, start, block, width, true);
      for (std::size_t size = 2 * width; size <= block; size *= 2) {
        between_vectors(sorted, start, block, size, size / 2);
        within_vectors(sorted, start, block, size, false);
      }
    }
    for (std::size_t size = 2 * block; size <= count; size *= 2) {
      for (std::size_t stride = size / 2; stride >= block; stride /= 2) {
        // Pairs are divided among threads in pieces, so that all threads have work even if strides are long.
#pragma omp for schedule(static)
        for (std::size_t piece = 0; piece < count / 2; piece += block / 2) {
          const std::size_t i = 2 * piece - (piece & (stride - 1));
          std::uint32_t *low = sorted + i, *high = sorted + i + stride;
          if ((i & size) != 0) std::swap(low, high);
          exchange_arrays(low, high, block / 2);
        }
      }
#pragma omp for schedule(static)
      for (std::size_t start = 0; start < count; start += block) {
        between_vectors(sorted, start, block, size, block / 2);
        within_vectors(sorted, start, block, size, false);
      }
    }
  }
}

}  // namespace bench
