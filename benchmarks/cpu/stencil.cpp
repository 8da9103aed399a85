/// The mean of each point of a square picture and its four neighbours.
///
/// usage: stencil [PAIRS [N [SMALL_N]]]

#include "measure.hpp"

namespace {

void measure_size(bench::program& program, std::size_t n) {
  sycl::queue& queue = program.queue;
  float* from = program.allocate<float>(n * n);
  float* to = program.allocate<float>(n * n);
  bench::dice dice;
  for (std::size_t i = 0; i < n * n; ++i) from[i] = dice.between(0, 1);
  // The kernels don't write the outermost points.
  std::vector<float> expected(n * n, -1.0f);
  for (std::size_t i = 1; i < n - 1; ++i) {
    for (std::size_t j = 1; j < n - 1; ++j) {
      expected[i * n + j] = 0.2f * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                                    from[i * n + j - 1] + from[i * n + j + 1]);
    }
  }
  const auto sinter = [&] {
    queue
        .parallel_for(sycl::range<2>(n - 2, n - 2),
                      [=](sycl::id<2> point) {
                        const std::size_t i = point[0] + 1, j = point[1] + 1;
                        to[i * n + j] = 0.2f * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                                                from[i * n + j - 1] + from[i * n + j + 1]);
                      })
        .wait();
  };
  program.measure({
      .name = "stencil, " + std::to_string(n) + " x " + std::to_string(n),
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::stencil_simd(from, to, n); }}},
      .spoil = [&] { std::fill_n(to, n * n, -1.0f); },
      .is_right = [&] { return bench::are_close(to, expected.data(), n * n, 0); },
      .memory = {.from = {from}, .reads = 1, .to = {to}, .writes = 1, .bytes = n * n * sizeof(float)},
  });
  sycl::free(from, queue);
  sycl::free(to, queue);
}

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {4096, 512});
  for (std::size_t k = 0; k < 2; ++k) measure_size(program, std::max<std::size_t>(program.size(k), 3));
}
