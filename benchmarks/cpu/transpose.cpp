/// Transpose of a square matrix through padded 16 x 16 tiles in local memory.
///
/// usage: transpose [PAIRS [N]]; N is rounded up to a multiple of 16.

#include "measure.hpp"

constexpr std::size_t tile = 16;

int main(int word_count, char** words) {
  bench::program program(word_count, words, {4096});
  sycl::queue& queue = program.queue;
  const std::size_t n = (program.size(0) + tile - 1) / tile * tile;
  float* from = program.allocate<float>(n * n);
  float* to = program.allocate<float>(n * n);
  bench::dice dice;
  for (std::size_t i = 0; i < n * n; ++i) from[i] = dice.between(-1, 1);
  std::vector<float> expected(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) expected[i * n + j] = from[j * n + i];
  }

  const auto sinter = [&] {
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<float, 2> near(sycl::range<2>(tile, tile + 1), handler);
          handler.parallel_for(sycl::nd_range<2>(sycl::range<2>(n, n), sycl::range<2>(tile, tile)),
                               [=](sycl::nd_item<2> item) {
                                 const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
                                 const std::size_t row = item.get_group(0) * tile, column = item.get_group(1) * tile;
                                 near[i][j] = from[(row + i) * n + column + j];
                                 sycl::group_barrier(item.get_group());
                                 to[(column + i) * n + row + j] = near[j][i];
                               });
        })
        .wait();
  };
  program.measure({
      .name = "transpose",
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::transpose_blocks(from, to, n); }}},
      .spoil = [&] { std::fill_n(to, n * n, NAN); },
      .is_right = [&] { return bench::are_close(to, expected.data(), n * n, 0); },
      .memory = {.from = {from}, .reads = 1, .to = {to}, .writes = 1, .bytes = n * n * sizeof(float)},
  });
}
