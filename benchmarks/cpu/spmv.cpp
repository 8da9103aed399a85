/// Product of a sparse matrix in compressed rows with a vector, one work-item per row.
///
/// usage: spmv [PAIRS [ROWS]]; 8 to 24 elements per row, at most 8192 columns from the diagonal.

#include "measure.hpp"

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 19});
  sycl::queue& queue = program.queue;
  const std::size_t rows = program.size(0);
  std::uint32_t* starts = program.allocate<std::uint32_t>(rows + 1);
  bench::dice dice;
  starts[0] = 0;
  for (std::size_t i = 0; i < rows; ++i) starts[i + 1] = starts[i] + 8 + dice.next() % 17;
  const std::size_t elements = starts[rows];
  std::uint32_t* columns = program.allocate<std::uint32_t>(elements);
  float* values = program.allocate<float>(elements);
  float* x = program.allocate<float>(rows);
  float* y = program.allocate<float>(rows);
  std::vector<float> expected(rows);
  for (std::size_t i = 0; i < rows; ++i) x[i] = dice.between(-1, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t low = i < 8192 ? 0 : i - 8192, high = std::min(rows, i + 8192);
    double sum = 0;
    for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) {
      columns[k] = static_cast<std::uint32_t>(low + dice.next() % (high - low));
      values[k] = dice.between(-1, 1);
      sum += static_cast<double>(values[k]) * static_cast<double>(x[columns[k]]);
    }
    expected[i] = static_cast<float>(sum);
  }

  const auto sinter = [&] {
    queue
        .parallel_for(sycl::range<1>(rows),
                      [=](sycl::id<1> row) {
                        float sum = 0;
                        for (std::uint32_t k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
                        y[row] = sum;
                      })
        .wait();
  };
  program.measure({
      .name = "spmv",
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::spmv_rows({starts, columns, values, rows}, x, y); }}},
      .spoil = [&] { std::fill_n(y, rows, NAN); },
      .is_right = [&] { return bench::are_close(y, expected.data(), rows, 1e-5); },
      // The matrix is read once; the vectors are much smaller than the matrix.
      .memory = {.from = {values, columns}, .reads = 2, .bytes = elements * sizeof(float)},
  });
}
