/// The program of sinter_program.cpp with OpenMP instead of SYCL. The program includes the headers that most programs
/// include, so its compile time is what a user pays without Sinter.
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(1000, 2.0f), y(1000, 1.0f);
#pragma omp parallel for simd
  for (int i = 0; i < 1000; ++i)
    y[static_cast<std::size_t>(i)] = 3.0f * x[static_cast<std::size_t>(i)] + y[static_cast<std::size_t>(i)];
  for (float value : y) {
    if (value != 7.0f) return 1;
  }
  std::puts("right");
}
