#pragma once
/// The loops with which kernels are compared, and the machine's peaks. They are compiled with -march=native and OpenMP,
/// each in a separate file.

#include <cstddef>
#include <cstdint>

namespace bench {

// ------------------------------------------------------------------------------------------------- peaks.cpp

/// Sets whether workers spin for a while after a region, or sleep at once so that they do not disturb the next
/// measurement.
void openmp_awake();
void openmp_asleep();

/// Milliseconds that all threads need for `operations` single-precision operations, where multiply-adds count as two.
double peak_multiply_add(double operations);

/// Streams that are read and written. Each has `bytes` bytes, aligned to 64.
struct traffic {
  const void* from[3] = {};
  int reads = 0;
  void* to[2] = {};
  int writes = 0;
  std::size_t bytes = 0;
};
/// Milliseconds that all threads need for the traffic. Writes bypass the caches if the data does not fit into the
/// caches.
double peak_memory(const traffic& wanted, int runs);

// ------------------------------------------------------------------------------------------------- the references

// matmul: c = a * b, square.
void matmul_tiled(const float* a, const float* b, float* c, std::size_t n);
/// Uses packed panels and sums in registers, with intrinsics.
void matmul_blocked(const float* a, const float* b, float* c, std::size_t n);

// joint_matrix: c = a * b, square; in b, two bfloat16 (given as bits) or four bytes of a column are contiguous.
void joint_matrix_floats(const float* a, const float* b, float* c, std::size_t n);
void joint_matrix_bfloats(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t n);
void joint_matrix_bytes(const std::int8_t* a, const std::int8_t* b, std::int32_t* c, std::size_t n);
/// Keeps 16 x 16 sums in registers and uses the machine's dot-product instructions.
void joint_matrix_bfloats_blocked(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t n);
void joint_matrix_bytes_blocked(const std::int8_t* a, const std::int8_t* b, std::int32_t* c, std::size_t n);

// nbody: inputs are x, y, z and mass; outputs are the acceleration and 0.
void nbody_intrinsics(const float* bodies, float* accelerations, std::size_t count, float softening);
/// The largest error of the reciprocal square root of nbody_intrinsics, in units of the last place.
double nbody_rsqrt_error();

// mandelbrot: iterations until the escape of each pixel.
struct mandelbrot_view {
  std::size_t width, height;
  float left, top, step;
  int limit;
};
void mandelbrot_scalar(const mandelbrot_view& view, int* counts);
void mandelbrot_masked(const mandelbrot_view& view, int* counts);
/// Computes two vectors at a time, to hide the latency of the chain.
void mandelbrot_masked_twice(const mandelbrot_view& view, int* counts);

// black_scholes
struct options {
  const float *price, *strike, *years;
  float *call, *put;
  std::size_t count;
  float rate, volatility;
};
void black_scholes_simd(const options& all);

// babelstream
void stream_copy(const double* a, double* c, std::size_t count);
void stream_mul(double* b, const double* c, double factor, std::size_t count);
void stream_add(const double* a, const double* b, double* c, std::size_t count);
void stream_triad(double* a, const double* b, const double* c, double factor, std::size_t count);
/// In each thread, elements are added one by one, in their order.
double stream_dot_strict(const double* a, const double* b, std::size_t count);
double stream_dot_reassociated(const double* a, const double* b, std::size_t count);

// resample: turns a picture of RGBA texels by a small angle, with linear interpolation, into four floats per texel.
void resample_openmp(const std::uint32_t* texels, float* to, int n);
void resample_openmp(const float* texels, float* to, int n);

// stencil: the inner points of a square picture.
void stencil_simd(const float* from, float* to, std::size_t n);

// flat_ids: the stencil in doubles, on a grid that need not be square.
void sweep_rows(const double* from, double* to, std::size_t width, std::size_t height);

// reduction
float reduction_simd(const float* values, std::size_t count);

// scan: inclusive sums.
void scan_chunks(const std::uint32_t* values, std::uint32_t* sums, std::size_t count);

// histogram: 256 bins, cleared first.
void histogram_private(const std::uint8_t* values, std::uint32_t* bins, std::size_t count);

// bitonic: `count` is a power of two.
void bitonic_network(const std::uint32_t* values, std::uint32_t* sorted, std::size_t count);

// spmv: y = matrix * x.
struct sparse_matrix {
  const std::uint32_t *row_starts, *columns;
  const float* values;
  std::size_t rows;
};
void spmv_rows(const sparse_matrix& matrix, const float* x, float* y);

// transpose of a square matrix
void transpose_blocks(const float* from, float* to, std::size_t n);

}  // namespace bench
