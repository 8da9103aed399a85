// The kernels of kernels.cpp in CUDA C++, with blocks of the same size: 256 threads in a row, or 32 x 8.

#include "launches.hpp"
#include "stream.cuh"

namespace side {
namespace {

constexpr unsigned block = 256;
unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + block - 1) / block); }
dim3 planes_of(std::size_t width, std::size_t height) {
  return {static_cast<unsigned>((width + 31) / 32), static_cast<unsigned>((height + 7) / 8)};
}

template <int Tile>
__global__ void matmul_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ float tile_a[Tile][Tile], tile_b[Tile][Tile];
  const std::size_t row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  const unsigned i = threadIdx.y, j = threadIdx.x;
  float sum = 0;
  for (std::size_t start = 0; start < n; start += Tile) {
    tile_a[i][j] = a[row * n + start + j];
    tile_b[i][j] = b[(start + i) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += tile_a[i][k] * tile_b[k][j];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <int Tile>
void matmul(const float* a, const float* b, float* c, std::size_t n) {
  const auto blocks = static_cast<unsigned>(n / Tile);
  matmul_kernel<Tile><<<dim3(blocks, blocks), dim3(Tile, Tile), 0, stream()>>>(a, b, c, n);
}

__global__ void nbody_kernel(const float4* bodies, float4* accelerations, std::size_t count, float softening) {
  __shared__ float4 near[block];
  const std::size_t i = blockIdx.x * std::size_t{block} + threadIdx.x;
  const unsigned l = threadIdx.x;
  const float4 mine = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (std::size_t start = 0; start < count; start += block) {
    near[l] = bodies[start + l];
    __syncthreads();
    for (unsigned k = 0; k < block; ++k) {
      const float4 other = near[k];
      const float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + softening);
      const float scale = other.w * inverse * inverse * inverse;
      ax += x * scale;
      ay += y * scale;
      az += z * scale;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
}

__device__ float distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 1.330274429f;
  tail = tail * k - 1.821255978f;
  tail = tail * k + 1.781477937f;
  tail = tail * k - 0.356563782f;
  tail = tail * k + 0.31938153f;
  tail = 0.39894228040f * expf(-0.5f * d * d) * k * tail;
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes_kernel(options all) {
  const std::size_t i = blockIdx.x * std::size_t{block} + threadIdx.x;
  if (i >= all.count) return;
  const float s = all.price[i], x = all.strike[i], t = all.years[i];
  const float root = sqrtf(t);
  const float d1 = (logf(s / x) + (all.rate + 0.5f * all.volatility * all.volatility) * t) / (all.volatility * root);
  const float d2 = d1 - all.volatility * root;
  const float below1 = distribution(d1), below2 = distribution(d2);
  const float discounted = x * expf(-all.rate * t);
  all.call[i] = s * below1 - discounted * below2;
  all.put[i] = discounted * (1.0f - below2) - s * (1.0f - below1);
}

__global__ void mandelbrot_kernel(view view, int* counts) {
  const unsigned column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (column >= view.width || row >= view.height) return;
  const float real = view.left + view.step * static_cast<float>(column);
  const float imaginary = view.top + view.step * static_cast<float>(row);
  float x = 0, y = 0;
  int n = 0;
  while (x * x + y * y <= 4.0f && n < view.limit) {
    const float next = x * x - y * y + real;
    y = 2 * x * y + imaginary;
    x = next;
    ++n;
  }
  counts[row * view.width + column] = n;
}

__global__ void transpose_kernel(const float* from, float* to, std::size_t n) {
  constexpr unsigned tile = 32, rows = 8;
  __shared__ float near[tile][tile + 1];
  const unsigned i = threadIdx.y, j = threadIdx.x;
  const std::size_t row = blockIdx.y * tile, column = blockIdx.x * tile;
  for (unsigned k = i; k < tile; k += rows) near[k][j] = from[(row + k) * n + column + j];
  __syncthreads();
  for (unsigned k = i; k < tile; k += rows) to[(column + k) * n + row + j] = near[j][k];
}

__global__ void stencil_kernel(const float* from, float* to, std::size_t n) {
  const std::size_t i = blockIdx.y * 8 + threadIdx.y + 1, j = blockIdx.x * 32 + threadIdx.x + 1;
  if (i >= n - 1 || j >= n - 1) return;
  to[i * n + j] = 0.2f * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                          from[i * n + j + 1]);
}

__global__ void spmv_kernel(matrix matrix, const float* x, float* y) {
  const std::size_t row = blockIdx.x * std::size_t{block} + threadIdx.x;
  if (row >= matrix.rows) return;
  float sum = 0;
  for (std::uint32_t k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k) {
    sum += matrix.values[k] * x[matrix.columns[k]];
  }
  y[row] = sum;
}

}  // namespace

void matmul_16(const float* a, const float* b, float* c, std::size_t n) { matmul<16>(a, b, c, n); }
void matmul_32(const float* a, const float* b, float* c, std::size_t n) { matmul<32>(a, b, c, n); }

void nbody(const float* bodies, float* accelerations, std::size_t count, float softening) {
  nbody_kernel<<<blocks_of(count), block, 0, stream()>>>(reinterpret_cast<const float4*>(bodies),
                                                         reinterpret_cast<float4*>(accelerations), count, softening);
}

void black_scholes(const options& all) { black_scholes_kernel<<<blocks_of(all.count), block, 0, stream()>>>(all); }

void mandelbrot(const view& view, int* counts) {
  mandelbrot_kernel<<<planes_of(view.width, view.height), dim3(32, 8), 0, stream()>>>(view, counts);
}

void transpose(const float* from, float* to, std::size_t n) {
  const auto blocks = static_cast<unsigned>(n / 32);
  transpose_kernel<<<dim3(blocks, blocks), dim3(32, 8), 0, stream()>>>(from, to, n);
}

void stencil(const float* from, float* to, std::size_t n) {
  stencil_kernel<<<planes_of(n - 2, n - 2), dim3(32, 8), 0, stream()>>>(from, to, n);
}

void spmv(const matrix& matrix, const float* x, float* y) {
  spmv_kernel<<<blocks_of(matrix.rows), block, 0, stream()>>>(matrix, x, y);
}

}  // namespace side
