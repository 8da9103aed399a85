#include "workloads_loops.hpp"

#include <cmath>

namespace {

float cumulative_normal(float d) { return 0.5f * std::erfc(-d * 0.70710678f); }
float spread(float years) { return volatility * std::sqrt(years); }
float first_moment(float stock, float strike, float years) {
  return (std::log(stock / strike) + (interest + 0.5f * volatility * volatility) * years) / spread(years);
}
float discounted(float strike, float years) { return strike * std::exp(-interest * years); }

float row_times(const float* row, const float* x, std::size_t size) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t k = 0; k < size; ++k) sum += row[k] * x[k];
  return sum;
}

}  // namespace

#define PARALLEL_LOOP _Pragma("omp parallel for schedule(static)") for (std::size_t i = 0; i < count; ++i)

void black_scholes_loops(const options& d, std::size_t count) {
  PARALLEL_LOOP d.d1[i] = first_moment(d.stock[i], d.strike[i], d.years[i]);
  PARALLEL_LOOP d.d2[i] = d.d1[i] - spread(d.years[i]);
  PARALLEL_LOOP d.n1[i] = cumulative_normal(d.d1[i]);
  PARALLEL_LOOP d.n2[i] = cumulative_normal(d.d2[i]);
  PARALLEL_LOOP d.call[i] = d.stock[i] * d.n1[i] - discounted(d.strike[i], d.years[i]) * d.n2[i];
  PARALLEL_LOOP d.put[i] = d.call[i] + discounted(d.strike[i], d.years[i]) - d.stock[i];
}

void black_scholes_fused(const options& d, std::size_t count) {
  PARALLEL_LOOP {
    const float d1 = first_moment(d.stock[i], d.strike[i], d.years[i]), d2 = d1 - spread(d.years[i]);
    const float paid = discounted(d.strike[i], d.years[i]);
    d.call[i] = d.stock[i] * cumulative_normal(d1) - paid * cumulative_normal(d2);
    d.put[i] = d.call[i] + paid - d.stock[i];
  }
}

float gradients_loops(const gradients& d, float a, std::size_t count) {
  PARALLEL_LOOP d.x[i] += a * d.p[i];
  PARALLEL_LOOP d.r[i] -= a * d.q[i];
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += d.r[i] * d.r[i];
  return sum;
}

float gradients_fused(const gradients& d, float a, std::size_t count) {
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    d.x[i] += a * d.p[i];
    const float rest = d.r[i] - a * d.q[i];
    d.r[i] = rest;
    sum += rest * rest;
  }
  return sum;
}

void gesummv_loops(const matrices& d, std::size_t size) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < size; ++i) d.t[i] = row_times(d.a + i * size, d.x, size);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < size; ++i) d.u[i] = row_times(d.b + i * size, d.x, size);
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) d.y[i] = 1.5f * d.t[i] + 1.2f * d.u[i];
}

void gesummv_fused(const matrices& d, std::size_t size) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < size; ++i) {
    d.y[i] = 1.5f * row_times(d.a + i * size, d.x, size) + 1.2f * row_times(d.b + i * size, d.x, size);
  }
}
