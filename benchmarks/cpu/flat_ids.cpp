/// A five-point sweep in doubles over a grid that is stored by rows. Some kernels have a range of two dimensions. In
/// others, the range has one dimension, and the kernel divides the id by the width. OpenMP's nested loops are the
/// reference.
///
/// usage: flat_ids [PAIRS [WIDTH [HEIGHT]]]

#include "measure.hpp"

namespace {

struct grid {
  const double* from;
  double* to;
};

/// Computes the point with index k, in column i and row j.
template <class Index>
void sweep(const grid& data, Index k, Index i, Index j, Index width, Index height) {
  if (i > 0 && j > 0 && i < width - 1 && j < height - 1) {
    const double* from = data.from;
    data.to[k] = 0.25 * (from[k - 1] + from[k + 1] + from[k - width] + from[k + width]) - from[k];
  }
}

void measure_all(bench::program& program, std::size_t width, std::size_t height) {
  sycl::queue& queue = program.queue;
  const std::size_t count = width * height, size = 256;
  double* from = program.allocate<double>(count);
  double* to = program.allocate<double>(count);
  bench::dice dice;
  for (std::size_t k = 0; k < count; ++k) from[k] = static_cast<double>(dice.between(0, 1));
  // The kernels don't write the outermost points.
  std::vector<double> expected(count, -1.0);
  for (std::size_t k = 0; k < count; ++k) sweep({from, expected.data()}, k, k % width, k / width, width, height);

  const grid data{from, to};
  const int x = static_cast<int>(width), y = static_cast<int>(height);
  const auto measure = [&](const char* name, const std::function<void()>& launch) {
    program.measure({
        .name = name,
        .sides = {{"sinter", launch}, {"openmp", [&] { bench::sweep_rows(from, to, width, height); }}},
        .spoil = [&] { std::fill_n(to, count, -1.0); },
        .is_right = [&] { return bench::are_close(to, expected.data(), count, 1e-15); },
        .memory = {.from = {from}, .reads = 1, .to = {to}, .writes = 1, .bytes = count * sizeof(double)},
    });
  };
  measure("two dimensions", [&] {
    queue
        .parallel_for(sycl::range<2>(height, width),
                      [=](sycl::id<2> at) { sweep(data, at[0] * width + at[1], at[1], at[0], width, height); })
        .wait();
  });
  measure("flat, int", [&] {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> id) {
                        const int k = static_cast<int>(id[0]);
                        sweep(data, k, k % x, k / x, x, y);
                      })
        .wait();
  });
  measure("flat, size_t", [&] {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> id) {
                        const std::size_t k = id[0];
                        sweep(data, k, k % width, k / width, width, height);
                      })
        .wait();
  });
  measure("flat, both", [&] {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::item<1> item) {
                        const int i = static_cast<int>(item.get_linear_id() % x),
                                  j = static_cast<int>(item.get_linear_id() / x);
                        sweep(data, j * x + i, i, j, x, y);
                      })
        .wait();
  });
  measure("flat, groups", [&] {
    queue
        .parallel_for(sycl::nd_range<1>((count + size - 1) / size * size, size),
                      [=](sycl::nd_item<1> item) {
                        const int k = static_cast<int>(item.get_global_id(0));
                        if (k < x * y) sweep(data, k, k % x, k / x, x, y);
                      })
        .wait();
  });
  measure("flat, group and local id", [&] {
    queue
        .parallel_for(sycl::nd_range<1>((count + size - 1) / size * size, size),
                      [=](sycl::nd_item<1> item) {
                        const auto k =
                            static_cast<int>(item.get_group(0) * item.get_local_range(0) + item.get_local_id(0));
                        if (k < x * y) sweep(data, k, k % x, k / x, x, y);
                      })
        .wait();
  });
  // The range has a third dimension: the grid is treated as a stack of planes, each with this number of rows.
  const int rows = y % 2 == 0 ? y / 2 : y;
  measure("flat, three dimensions", [&] {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> id) {
                        const int k = static_cast<int>(id[0]), plane = k / (x * rows), left = k - plane * x * rows;
                        const int row = left / x;
                        sweep(data, k, left - row * x, plane * rows + row, x, y);
                      })
        .wait();
  });
  sycl::free(from, queue);
  sycl::free(to, queue);
}

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {2000, 2000});
  measure_all(program, std::max<std::size_t>(program.size(0), 3), std::max<std::size_t>(program.size(1), 3));
}
