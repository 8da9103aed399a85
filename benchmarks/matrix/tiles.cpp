/// Products of matrices by joint_matrix from tiles in local memory: a group of 64 sub-groups of 16 work-items computes
/// 128 x 128 results, and `b` is packed in words for the dot-product instructions. For CPUs. Prints the median of 12
/// runs; the first run does not count.
///
/// usage: matrix_tiles [N], default 1024; N is rounded up to a multiple of 256

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "names.hpp"

namespace {

constexpr std::size_t size = 16, down = 8, across = 8, rows = down * size, columns = across * size;
constexpr std::size_t items = down * across * size;

/// Computes c = a * b. Takes `Depth` elements of a row of `a` at a time, and K elements in each product.
template <class T, class Sum, std::size_t K, std::size_t Depth>
void multiply(sycl::queue& queue, const T* a, const T* b, Sum* c, std::size_t n) {
  constexpr std::size_t pack = sizeof(T) < 4 ? 4 / sizeof(T) : 1, words = Depth / pack;
  constexpr layout layout_b = pack == 1 ? layout::row_major : layout::ext_intel_packed;
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<std::uint32_t> tile_a(rows * words, handler), tile_b(words * columns, handler);
    handler.parallel_for(
        sycl::nd_range<2>({n / rows, n / columns * items}, {1, items}),
        [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(size)]] {
          const sub_group group = item.get_sub_group();
          const std::size_t row = item.get_group(0) * rows, column = item.get_group(1) * columns;
          const std::size_t own_row = group.get_group_linear_id() / across * size;
          const std::size_t own_column = group.get_group_linear_id() % across * size;
          auto *from_a = reinterpret_cast<T*>(&tile_a[0]), *from_b = reinterpret_cast<T*>(&tile_b[0]);
          matrix::joint_matrix<sub_group, T, use::a, size, K, layout::row_major> left;
          matrix::joint_matrix<sub_group, T, use::b, K, size, layout_b> right;
          matrix::joint_matrix<sub_group, Sum, use::accumulator, size, size> sum;
          joint_matrix_fill(group, sum, 0);
          for (std::size_t start = 0; start < n; start += Depth) {
            for (std::size_t i = item.get_local_id(1); i < rows * words; i += items) {
              const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(a + (row + i / words) * n + start);
              tile_a[i] = reinterpret_cast<const std::uint32_t*>(bytes)[i % words];
            }
            for (std::size_t i = item.get_local_id(1); i < words * columns; i += items) {
              const T* const first = b + (start + i / columns * pack) * n + column + i % columns;
              if constexpr (pack == 1) {
                tile_b[i] = sycl::bit_cast<std::uint32_t>(*first);
              } else {
                using bits = std::conditional_t<pack == 2, std::uint16_t, std::uint8_t>;
                std::uint32_t word = 0;
                for (std::size_t p = 0; p < pack; ++p)
                  word |= std::uint32_t{sycl::bit_cast<bits>(first[p * n])} << (p * 32 / pack);
                tile_b[i] = word;
              }
            }
            sycl::group_barrier(item.get_group());
            for (std::size_t k = 0; k < Depth; k += K) {
              joint_matrix_load(group, left, in<address_space::local_space>(from_a + own_row * Depth + k), Depth);
              joint_matrix_load(group, right, in<address_space::local_space>(from_b + k * columns + own_column * pack),
                                columns * pack);
              joint_matrix_mad(group, sum, left, right, sum);
            }
            sycl::group_barrier(item.get_group());
          }
          joint_matrix_store(group, sum, in<address_space::global_space>(c + (row + own_row) * n + column + own_column),
                             n, layout::row_major);
        });
  });
  queue.wait_and_throw();
}

template <class T, class Sum, std::size_t K, std::size_t Depth>
bool measure(sycl::queue& queue, const char* name, std::size_t n) {
  T* a = sycl::malloc_shared<T>(n * n, queue);
  T* b = sycl::malloc_shared<T>(n * n, queue);
  Sum* c = sycl::malloc_shared<Sum>(n * n, queue);
  std::uint32_t state = 1;
  for (T* values : {a, b}) {
    for (std::size_t i = 0; i < n * n; ++i) {
      state = state * 1664525 + 1013904223;
      values[i] = static_cast<T>(static_cast<float>(state >> 24) / 16 - 8);
    }
  }
  std::vector<double> taken;
  for (int run = 0; run < 13; ++run) {
    const auto start = std::chrono::steady_clock::now();
    multiply<T, Sum, K, Depth>(queue, a, b, c, n);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (run > 0) taken.push_back(time.count());
  }
  std::nth_element(taken.begin(), taken.begin() + 6, taken.end());
  bool right = true;
  for (std::size_t i = 0; i < n; i += 37) {
    for (std::size_t j = 0; j < n; ++j) {
      double expected = 0, magnitude = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double product = static_cast<double>(static_cast<float>(a[i * n + k])) *
                               static_cast<double>(static_cast<float>(b[k * n + j]));
        expected += product;
        magnitude += std::fabs(product);
      }
      right &= std::fabs(expected - static_cast<double>(c[i * n + j])) <= 1e-5 * magnitude;
    }
  }
  std::printf("%-12s%10.3f ms%s\n", name, taken[6], right ? "" : ", WRONG");
  for (void* each_memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)})
    sycl::free(each_memory, queue);
  return right;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t asked = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1024;
  const std::size_t n = std::clamp<std::size_t>((asked + 255) / 256 * 256, 256, 8192);
  sycl::queue queue(sycl::cpu_selector_v);
  bool right = measure<float, float, 16, 64>(queue, "float", n);
  right &= measure<sycl::ext::oneapi::bfloat16, float, 32, 128>(queue, "bfloat16", n);
  right &= measure<std::int8_t, std::int32_t, 64, 256>(queue, "bytes", n);
  return right ? 0 : 1;
}
