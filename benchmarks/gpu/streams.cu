// CUDA C++ side of streams.cpp.

#include "launches.hpp"
#include "stream.cuh"

namespace side {
namespace {

constexpr unsigned block = 256;

__device__ std::size_t global_id() { return blockIdx.x * std::size_t{block} + threadIdx.x; }
unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + block - 1) / block); }

__global__ void copy_kernel(const double* a, double* c, std::size_t count) {
  const std::size_t i = global_id();
  if (i < count) c[i] = a[i];
}

__global__ void mul_kernel(double* b, const double* c, std::size_t count) {
  const std::size_t i = global_id();
  if (i < count) b[i] = stream_factor * c[i];
}

__global__ void add_kernel(const double* a, const double* b, double* c, std::size_t count) {
  const std::size_t i = global_id();
  if (i < count) c[i] = a[i] + b[i];
}

__global__ void triad_kernel(double* a, const double* b, const double* c, std::size_t count) {
  const std::size_t i = global_id();
  if (i < count) a[i] = b[i] + stream_factor * c[i];
}

// Blocks run grid-stride loops and add up in shared memory, as in BabelStream. A second kernel adds the blocks' sums.
constexpr unsigned dot_block = 1024, dot_blocks = 4 * 132;

__device__ double sum_of_block(double mine) {
  __shared__ double sums[dot_block];
  sums[threadIdx.x] = mine;
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (threadIdx.x < offset) sums[threadIdx.x] += sums[threadIdx.x + offset];
  }
  return sums[0];
}

__global__ void dot_kernel(const double* a, const double* b, double* sums, std::size_t count) {
  double mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{dot_block} + threadIdx.x; i < count; i += gridDim.x * dot_block) {
    mine += a[i] * b[i];
  }
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void dot_sum_kernel(const double* sums, double* sum) {
  double mine = 0;
  for (unsigned i = threadIdx.x; i < dot_blocks; i += dot_block) mine += sums[i];
  const double all = sum_of_block(mine);
  if (threadIdx.x == 0) *sum = all;
}

}  // namespace

void stream_copy(const double* a, double* c, std::size_t count) {
  copy_kernel<<<blocks_of(count), block, 0, stream()>>>(a, c, count);
}

void stream_mul(double* b, const double* c, std::size_t count) {
  mul_kernel<<<blocks_of(count), block, 0, stream()>>>(b, c, count);
}

void stream_add(const double* a, const double* b, double* c, std::size_t count) {
  add_kernel<<<blocks_of(count), block, 0, stream()>>>(a, b, c, count);
}

void stream_triad(double* a, const double* b, const double* c, std::size_t count) {
  triad_kernel<<<blocks_of(count), block, 0, stream()>>>(a, b, c, count);
}

void stream_dot(const double* a, const double* b, double* sum, std::size_t count) {
  static auto* sums = static_cast<double*>(allocate(dot_blocks * sizeof(double)));
  dot_kernel<<<dot_blocks, dot_block, 0, stream()>>>(a, b, sums, count);
  dot_sum_kernel<<<1, dot_block, 0, stream()>>>(sums, sum);
}

}  // namespace side
