// The fourth step of examples/matrix in CUDA C++: each warp computes a tile of 16 x 16 by WMMA, from global memory.
// Prints the milliseconds of the fastest of some launches, for bfloat16 and half. -DWITH_CUBLAS adds the times of
// cuBLAS.
//
// usage: wmma [N]; compiled by hand: README.md

#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "wmma: %s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <class T>
__global__ void product(const T* a, const T* b, float* c, std::size_t n) {
  using namespace nvcuda;
  const std::size_t row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (std::size_t k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

template <class Run>
double fastest(const Run& run) {
  cudaEvent_t start, end;
  check(cudaEventCreate(&start)), check(cudaEventCreate(&end));
  float least = 1e30f;
  for (int i = 0; i < 6; ++i) {
    check(cudaEventRecord(start));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float taken = 0;
    check(cudaEventElapsedTime(&taken, start, end));
    if (i > 0) least = std::min(least, taken);
  }
  return least;
}

template <class T>
void measure(const char* name, cudaDataType type, std::size_t n) {
  T *a, *b;
  float* c;
  check(cudaMalloc(&a, n * n * sizeof(T))), check(cudaMalloc(&b, n * n * sizeof(T)));
  check(cudaMalloc(&c, n * n * sizeof(float)));
  std::vector<T> values(n * n);
  for (std::size_t i = 0; i < n * n; ++i) values[i] = T(static_cast<float>(i % 7) - 3.0f);
  check(cudaMemcpy(a, values.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  check(cudaMemcpy(b, values.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  const auto blocks = static_cast<unsigned>(n / 16);
  const double own = fastest([&] { product<<<dim3(blocks, blocks), 32>>>(a, b, c, n); });
  std::vector<float> sums(n);
  check(cudaMemcpy(sums.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t j = 0; j < n; ++j) {
    double expected = 0;
    for (std::size_t k = 0; k < n; ++k) {
      expected += static_cast<double>(static_cast<float>(values[k])) * static_cast<float>(values[k * n + j]);
    }
    if (std::fabs(expected - sums[j]) > 0.5) std::fprintf(stderr, "wmma: column %zu is wrong\n", j), std::exit(1);
  }
  std::printf("%zu x %zu, %s: WMMA %.3f ms\n", n, n, name, own);
#ifdef WITH_CUBLAS
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  const int size = static_cast<int>(n);
  const double blas = fastest([&] {
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, b, type, size, a, type, size, &zero, c,
                 CUDA_R_32F, size, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
  cublasDestroy(handle);
  std::printf("%zu x %zu, %s: cuBLAS %.3f ms\n", n, n, name, blas);
#endif
  check(cudaFree(a)), check(cudaFree(b)), check(cudaFree(c));
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t n = (argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4096) / 64 * 64;
  measure<__nv_bfloat16>("bfloat16", CUDA_R_16BF, n);
  measure<__half>("half", CUDA_R_16F, n);
}
