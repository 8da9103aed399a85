/// Computes products of square matrices with each combination of joint_matrix that tensor cores support. Matrices are
/// loaded from global memory, with a sub-group for each matrix of results. combinations.cu computes the same products
/// by WMMA.
///
/// usage: matrix_combinations [N], default 2048; N is rounded up to a multiple of 32

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "names.hpp"

namespace {

using sycl::half;
using sycl::ext::oneapi::bfloat16;
using matrix::precision::tf32;

/// The type of elements in memory.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, tf32>, float, T>;

template <class T, class Sum, std::size_t M, std::size_t N, std::size_t K>
void multiply(sycl::queue& queue, const stored<T>* a, const stored<T>* b, Sum* c, std::size_t n) {
  constexpr std::size_t warp = 32;
  queue.parallel_for(sycl::nd_range<2>({n / M, n / N * warp}, {1, warp}),
                     [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(warp)]] {
                       const sub_group group = item.get_sub_group();
                       const std::size_t row = item.get_group(0) * M, column = item.get_group(1) * N;
                       matrix::joint_matrix<sub_group, T, use::a, M, K, layout::row_major> left;
                       matrix::joint_matrix<sub_group, T, use::b, K, N, layout::row_major> right;
                       matrix::joint_matrix<sub_group, Sum, use::accumulator, M, N> sum;
                       joint_matrix_fill(group, sum, Sum(0));
                       for (std::size_t k = 0; k < n; k += K) {
                         joint_matrix_load(group, left, in<address_space::global_space>(a + row * n + k), n);
                         joint_matrix_load(group, right, in<address_space::global_space>(b + k * n + column), n);
                         joint_matrix_mad(group, sum, left, right, sum);
                       }
                       joint_matrix_store(group, sum, in<address_space::global_space>(c + row * n + column), n,
                                          layout::row_major);
                     });
}

template <class T, class Sum, std::size_t M, std::size_t N, std::size_t K>
bool measure(sycl::queue& queue, const char* name, std::size_t n) {
  // Numbers are small and whole, so that sums are exact. Sums of type half are nearly exact.
  std::vector<stored<T>> values(n * n);
  for (std::size_t i = 0; i < n * n; ++i) values[i] = static_cast<stored<T>>(static_cast<float>(i % 3));
  stored<T>* const a = sycl::malloc_device<stored<T>>(n * n, queue);
  stored<T>* const b = sycl::malloc_device<stored<T>>(n * n, queue);
  Sum* const c = sycl::malloc_device<Sum>(n * n, queue);
  queue.copy(values.data(), a, n * n);
  queue.copy(values.data(), b, n * n);
  queue.wait_and_throw();
  double least = 1e30;
  for (int run = 0; run < 4; ++run) {
    constexpr int launches = 10;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) multiply<T, Sum, M, N, K>(queue, a, b, c, n);
    queue.wait_and_throw();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / launches);
  }
  std::vector<Sum> sums(n);
  queue.copy(c, sums.data(), n).wait_and_throw();
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) sycl::free(memory, queue);
  bool right = true;
  for (std::size_t j = 0; j < n; ++j) {
    double expected = 0;
    for (std::size_t k = 0; k < n; ++k) expected += static_cast<double>(k % 3) * static_cast<double>((k * n + j) % 3);
    // Sums in half have 11 bits, so they may be rounded.
    right &= std::fabs(expected - static_cast<double>(sums[j])) <= (sizeof(Sum) == 2 ? expected * 0x1p-6 : 0.0);
  }
  std::printf("%-10s%3zu x%3zu x%3zu%10.4f ms%s\n", name, M, N, K, least, right ? "" : ", WRONG");
  return right;
}

template <class T, class Sum>
bool measure_shapes(sycl::queue& queue, const char* name, std::size_t n) {
  bool right = measure<T, Sum, 16, 16, 16>(queue, name, n);
  right &= measure<T, Sum, 8, 32, 16>(queue, name, n);
  right &= measure<T, Sum, 32, 8, 16>(queue, name, n);
  return right;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  const std::size_t asked = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 2048;
  const std::size_t n = std::clamp<std::size_t>((asked + 31) / 32 * 32, 32, 16384);
  sycl::queue queue(sycl::gpu_selector_v, sycl::property::queue::in_order());
  bool right = measure_shapes<half, float>(queue, "half", n);
  right &= measure_shapes<half, half>(queue, "half half", n);
  right &= measure_shapes<bfloat16, float>(queue, "bfloat16", n);
  right &= measure_shapes<std::int8_t, std::int32_t>(queue, "int8", n);
  right &= measure_shapes<std::uint8_t, std::int32_t>(queue, "uint8", n);
  right &= measure<tf32, float, 16, 16, 8>(queue, "tf32", n);
  right &= measure<double, double, 8, 8, 4>(queue, "double", n);
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::fprintf(stderr, "matrix_combinations: %s\n", error.what()), 1;
}
