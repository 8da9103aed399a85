#pragma once
/// The workloads as OpenMP loops: one loop per kernel, or one loop written by hand for all kernels.

#include <cstddef>

/// Black-Scholes prices of European options.
struct options {
  const float *stock, *strike, *years;
  float *d1, *d2, *n1, *n2, *call, *put;
};
constexpr float interest = 0.02f, volatility = 0.30f;
void black_scholes_loops(const options& data, std::size_t count);
void black_scholes_fused(const options& data, std::size_t count);

/// The vector part of a step of conjugate gradients: x += a p, r -= a q, returns r.r.
struct gradients {
  float *x, *r;
  const float *p, *q;
};
float gradients_loops(const gradients& data, float a, std::size_t count);
float gradients_fused(const gradients& data, float a, std::size_t count);

/// Computes y = 1.5 A x + 1.2 B x, where A and B are square matrices.
struct matrices {
  const float *a, *b, *x;
  float *t, *u, *y;
};
void gesummv_loops(const matrices& data, std::size_t size);
void gesummv_fused(const matrices& data, std::size_t size);
