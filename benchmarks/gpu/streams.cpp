/// BabelStream's kernels. streams.cu contains the same kernels in CUDA C++.

#include "launches.hpp"
#include "queue.hpp"

namespace side {

void stream_copy(const double* a, double* c, std::size_t count) {
  queue().parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i]; });
}

void stream_mul(double* b, const double* c, std::size_t count) {
  queue().parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { b[i] = stream_factor * c[i]; });
}

void stream_add(const double* a, const double* b, double* c, std::size_t count) {
  queue().parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i] + b[i]; });
}

void stream_triad(double* a, const double* b, const double* c, std::size_t count) {
  queue().parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i] = b[i] + stream_factor * c[i]; });
}

void stream_dot(const double* a, const double* b, double* sum, std::size_t count) {
  queue().parallel_for(
      sycl::range<1>(count),
      sycl::reduction(sum, 0.0, sycl::plus<double>(), sycl::property::reduction::initialize_to_identity()),
      [=](sycl::id<1> i, auto& total) { total += a[i] * b[i]; });
}

}  // namespace side
