#include "references.hpp"

namespace bench {

void stream_copy(const double* a, double* c, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i];
}

void stream_mul(double* b, const double* c, double factor, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) b[i] = factor * c[i];
}

void stream_add(const double* a, const double* b, double* c, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

void stream_triad(double* a, const double* b, const double* c, double factor, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + factor * c[i];
}

double stream_dot_strict(const double* a, const double* b, std::size_t count) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

double stream_dot_reassociated(const double* a, const double* b, std::size_t count) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace bench
