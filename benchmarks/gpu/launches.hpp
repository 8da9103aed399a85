#pragma once
/// Functions that both the SYCL side and the CUDA C++ side of gpu_kernels define: memory, and the kernels that are
/// compared. Launches submit work and return; `wait` waits for all work.

#include <cstddef>
#include <cstdint>

namespace side {

const char* open();  ///< opens the device: returns its name, or null if there is none
void wait();
void* allocate(std::size_t bytes);
void release(void* memory);
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory);
void copy(void* to, const void* from, std::size_t bytes);
/// Copies from or to memory that is not page-locked; may wait for the copy.
void copy_pageable(void* to, const void* from, std::size_t bytes);
void fill(void* memory, unsigned char byte, std::size_t bytes);

// streams.cpp, streams.cu
void stream_copy(const double* a, double* c, std::size_t count);
void stream_mul(double* b, const double* c, std::size_t count);
void stream_add(const double* a, const double* b, double* c, std::size_t count);
void stream_triad(double* a, const double* b, const double* c, std::size_t count);
void stream_dot(const double* a, const double* b, double* sum, std::size_t count);
constexpr double stream_factor = 0.4;

// kernels.cpp, kernels.cu
void matmul_16(const float* a, const float* b, float* c, std::size_t n);
void matmul_32(const float* a, const float* b, float* c, std::size_t n);
void nbody(const float* bodies, float* accelerations, std::size_t count, float softening);
struct options {
  const float *price, *strike, *years;
  float *call, *put;
  std::size_t count;
  float rate, volatility;
};
void black_scholes(const options& all);
struct view {
  std::size_t width, height;
  float left, top, step;
  int limit;
};
void mandelbrot(const view& view, int* counts);
void transpose(const float* from, float* to, std::size_t n);
void stencil(const float* from, float* to, std::size_t n);
struct matrix {
  const std::uint32_t *starts, *columns;
  const float* values;
  std::size_t rows;
};
void spmv(const matrix& matrix, const float* x, float* y);

// groups.cpp, groups.cu
constexpr std::size_t group_size = 256;
constexpr std::size_t bin_count = 256, bytes_per_item = 64;
void histogram(const std::uint8_t* values, std::uint32_t* bins, std::size_t count);
/// Computes inclusive prefix sums in several levels. `space` has room for one number for each group of each level.
void scan(const std::uint32_t* values, std::uint32_t* sums, std::uint32_t* space, std::size_t count);
constexpr std::size_t sort_block = 2 * group_size;
void bitonic(const std::uint32_t* values, std::uint32_t* sorted, std::size_t count);
/// Uses sycl::reduction, or cub::DeviceReduce.
void reduce_sum(const float* values, float* sum, std::size_t count);
/// Uses sycl::reduction over an nd_range, where each work-item has `of_each` values.
void reduce_max(const std::int32_t* values, std::int32_t* most, std::size_t count, std::size_t of_each);
/// `count` is a multiple of group_size. Uses group algorithms, or cub's algorithms for blocks.
void group_sums(const float* values, float* sums, std::size_t count);
void group_inclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count);
void group_exclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count);
/// These kernels run a group algorithm many times without accessing memory: each result is the input of the next run.
constexpr int rounds = 64;
void group_sums_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count);
void group_scans_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count);

// copies.cpp, copies.cu
constexpr int pipeline_rounds = 400;
/// Copies each chunk to the device, runs a kernel on the chunk, and copies the result back. One side does this with
/// buffers only, and the other side with streams. All memory is pinned.
void pipeline(float* from, float* to, std::size_t chunk, std::size_t chunks);

}  // namespace side
