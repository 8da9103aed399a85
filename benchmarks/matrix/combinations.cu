// The products of combinations.cpp by WMMA in CUDA C++.
//
// usage: combinations [N]; compiled by hand: README.md

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace {

using nvcuda::wmma::precision::tf32;

template <class T>
using stored = std::conditional_t<std::is_same_v<T, tf32>, float, T>;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "combinations: %s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <class T, class Sum, int M, int N, int K>
__global__ void multiply(const stored<T>* a, const stored<T>* b, Sum* c, std::size_t n) {
  using namespace nvcuda;
  const std::size_t row = std::size_t{blockIdx.y} * M, column = std::size_t{blockIdx.x} * N;
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  for (std::size_t k = 0; k < n; k += K) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

template <class T, class Sum, int M, int N, int K>
void measure(const char* name, std::size_t n) {
  std::vector<stored<T>> values(n * n);
  for (std::size_t i = 0; i < n * n; ++i) values[i] = stored<T>(static_cast<float>(i % 3));
  stored<T>*a, *b;
  Sum* c;
  check(cudaMalloc(&a, n * n * sizeof(*a))), check(cudaMalloc(&b, n * n * sizeof(*b)));
  check(cudaMalloc(&c, n * n * sizeof(Sum)));
  check(cudaMemcpy(a, values.data(), n * n * sizeof(*a), cudaMemcpyHostToDevice));
  check(cudaMemcpy(b, values.data(), n * n * sizeof(*b), cudaMemcpyHostToDevice));
  double least = 1e30;
  for (int run = 0; run < 4; ++run) {
    constexpr int launches = 10;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      multiply<T, Sum, M, N, K><<<dim3(unsigned(n / N), unsigned(n / M)), 32>>>(a, b, c, n);
    check(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / launches);
  }
  check(cudaFree(a)), check(cudaFree(b)), check(cudaFree(c));
  std::printf("%-10s%3d x%3d x%3d%10.4f ms\n", name, M, N, K, least);
}

template <class T, class Sum>
void measure_shapes(const char* name, std::size_t n) {
  measure<T, Sum, 16, 16, 16>(name, n);
  measure<T, Sum, 8, 32, 16>(name, n);
  measure<T, Sum, 32, 8, 16>(name, n);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t n = (argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 2048) / 32 * 32;
  measure_shapes<half, float>("half", n);
  measure_shapes<half, half>("half half", n);
  measure_shapes<__nv_bfloat16, float>("bfloat16", n);
  measure_shapes<signed char, int>("int8", n);
  measure_shapes<unsigned char, int>("uint8", n);
  measure<tf32, float, 16, 16, 8>("tf32", n);
  measure<double, double, 8, 8, 4>("double", n);
}
