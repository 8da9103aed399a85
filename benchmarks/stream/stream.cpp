/// Vector add and triad over floats: Sinter's kernels and the same loops under OpenMP, in interleaved pairs.
///
/// usage: stream [PAIRS [COUNT]]; prints one line of JSON per pair: {"name", "sinter", "openmp", "peak"} in
/// milliseconds.

#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "loops.hpp"

namespace {

template <class Work>
double milliseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Sinter, class OpenMp, class Peak>
void measure(const char* name, int pairs, Sinter sinter, OpenMp openmp, Peak peak) {
  sinter();  // compiles the kernel
  openmp();
  for (int pair = 0; pair < pairs; ++pair) {
    // The order changes from pair to pair, so that no side always runs with cache contents that the other side has
    // left.
    double first = 0, second = 0;
    if (pair % 2 == 0) {
      first = milliseconds(sinter);
      second = milliseconds(openmp);
    } else {
      second = milliseconds(openmp);
      first = milliseconds(sinter);
    }
    std::printf("{\"name\": \"%s\", \"sinter\": %.6f, \"openmp\": %.6f, \"peak\": %.6f}\n", name, first, second,
                milliseconds(peak));
  }
}

} // namespace

int main(int word_count, char** words) {
  const int pairs = word_count > 1 ? std::atoi(words[1]) : 40;
  const std::size_t count = word_count > 2 ? std::strtoull(words[2], nullptr, 10) : std::size_t{1} << 25;
  if (pairs < 1 || count < 1) {
    std::fputs("usage: stream [PAIRS [COUNT]]\n", stderr);
    return 2;
  }
  openmp_calm();
  sycl::queue queue{sycl::property::queue::in_order{}};
  float* a = sycl::malloc_shared<float>(count, queue);
  float* b = sycl::malloc_shared<float>(count, queue);
  float* c = sycl::malloc_shared<float>(count, queue);
  const float factor = 0.4f;
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> i) {
                      a[i] = static_cast<float>(i[0] % 1000);
                      b[i] = static_cast<float>(i[0] % 77);
                      c[i] = 0;
                    })
      .wait();

  const auto peak = [&] { openmp_peak(a, b, c, count); };
  measure(
      "vector add", pairs,
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i] + b[i]; }).wait(); },
      [&] { openmp_add(a, b, c, count); }, peak);
  measure(
      "triad", pairs,
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i] + factor * b[i]; }).wait(); },
      [&] { openmp_triad(a, b, c, factor, count); }, peak);
  for (float* memory : {a, b, c}) sycl::free(memory, queue);
}
