/// Matrix product with 16 x 16 tiles in local memory and barriers, single precision.
///
/// usage: matmul [PAIRS [N]]; N is rounded up to a multiple of 16.

#include "measure.hpp"

constexpr std::size_t tile = 16;

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1024});
  sycl::queue& queue = program.queue;
  const std::size_t n = (program.size(0) + tile - 1) / tile * tile;
  float* a = program.allocate<float>(n * n);
  float* b = program.allocate<float>(n * n);
  float* c = program.allocate<float>(n * n);
  bench::dice dice;
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = dice.between(-1, 1);
    b[i] = dice.between(-1, 1);
  }
  std::vector<float> expected(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) expected[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }

  const auto sinter = [&] {
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<float, 2> tile_a(sycl::range<2>(tile, tile), handler);
          sycl::local_accessor<float, 2> tile_b(sycl::range<2>(tile, tile), handler);
          handler.parallel_for(sycl::nd_range<2>(sycl::range<2>(n, n), sycl::range<2>(tile, tile)),
                               [=](sycl::nd_item<2> item) {
                                 const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
                                 const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
                                 float sum = 0;
                                 for (std::size_t start = 0; start < n; start += tile) {
                                   tile_a[i][j] = a[row * n + start + j];
                                   tile_b[i][j] = b[(start + i) * n + column];
                                   sycl::group_barrier(item.get_group());
                                   for (std::size_t k = 0; k < tile; ++k) sum += tile_a[i][k] * tile_b[k][j];
                                   sycl::group_barrier(item.get_group());
                                 }
                                 c[row * n + column] = sum;
                               });
        })
        .wait();
  };
  program.measure({
      .name = "matmul",
      .sides = {{"sinter", sinter},
                {"same tiling", [&] { bench::matmul_tiled(a, b, c, n); }},
                {"register-blocked", [&] { bench::matmul_blocked(a, b, c, n); }}},
      .spoil = [&] { std::fill_n(c, n * n, NAN); },
      .is_right = [&] { return bench::are_close(c, expected.data(), n * n, 1e-5); },
      .operations = 2.0 * static_cast<double>(n * n * n),
  });
}
