/// Heat spreads over a plate. Ranks share the rows of the plate, and each rank computes on a device of its own. MPI
/// sends the rows at a rank's borders to its neighbours while the device computes the rows between them.
///
/// usage: mpirun -n RANKS stencil_mpi [ROWS [COLUMNS [STEPS]]]

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "rank_device.hpp"

namespace {

struct plate {
  std::size_t rows = 1024, columns = 1024, steps = 200;
};

/// The initial value of an element. The values at the border of the plate never change.
float initial_value(std::size_t row, std::size_t column) {
  return static_cast<float>((row * 37 + column * 101) % 256) - (row % 3 == 0 ? 128.0f : 0.0f);
}

/// The result is the same on every machine, bit by bit: a factor of a quarter is exact, and sums have a fixed order.
inline float next_value(const float* at, std::size_t columns) {
  return 0.25f * (((at[-static_cast<std::ptrdiff_t>(columns)] + at[columns]) + at[-1]) + at[1]);
}

/// The rows of one rank, and one row of each neighbour around them.
class part_of_plate {
public:
  part_of_plate(sycl::queue& queue, const plate& all, int rank, int ranks)
      : m_queue(queue),
        m_columns(all.columns),
        m_first(all.rows * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks)),
        m_rows(all.rows * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks) - m_first),
        m_above(rank > 0 ? rank - 1 : MPI_PROC_NULL),
        m_below(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL),
        m_old(allocate(sycl::malloc_device<float>((m_rows + 2) * m_columns, queue))),
        m_new(allocate(sycl::malloc_device<float>((m_rows + 2) * m_columns, queue))),
        // Borders are in host memory, because MPI may not be able to access the device's memory.
        m_border(allocate(sycl::malloc_host<float>(4 * m_columns, queue))) {
    std::vector<float> start((m_rows + 2) * m_columns, 0.0f);
    for (std::size_t row = 0; row < m_rows + 2; ++row) {
      const std::size_t of_plate = m_first + row - 1;
      if (of_plate >= all.rows) continue;  // a row above the plate's first row, or below its last row
      for (std::size_t column = 0; column < m_columns; ++column) {
        start[row * m_columns + column] = initial_value(of_plate, column);
      }
    }
    m_queue.copy(start.data(), m_old, start.size());
    m_queue.copy(start.data(), m_new, start.size());
    m_queue.wait();
  }
  part_of_plate(const part_of_plate&) = delete;
  ~part_of_plate() {
    m_queue.wait();
    for (float* each : {m_old, m_new, m_border}) sycl::free(each, m_queue);
  }

  void step() {
    // The rows for which other ranks wait are computed first.
    compute(1, 1);
    if (m_rows > 1) compute(m_rows, 1);
    m_queue.copy(m_new + m_columns, to_above(), m_columns);
    sycl::event ready = m_queue.copy(m_new + m_rows * m_columns, to_below(), m_columns);
    if (m_rows > 2) compute(2, m_rows - 2);
    ready.wait();
    exchange(to_above(), m_above, from_below(), m_below);
    exchange(to_below(), m_below, from_above(), m_above);
    if (m_above != MPI_PROC_NULL) m_queue.copy(from_above(), m_new, m_columns);
    if (m_below != MPI_PROC_NULL) m_queue.copy(from_below(), m_new + (m_rows + 1) * m_columns, m_columns);
    // The next step uses the same memory for the borders.
    m_queue.wait();
    std::swap(m_old, m_new);
  }

  std::size_t first() const { return m_first; }
  std::size_t rows() const { return m_rows; }
  std::vector<float> result() {
    std::vector<float> values(m_rows * m_columns);
    m_queue.copy(m_old + m_columns, values.data(), values.size()).wait();
    return values;
  }

private:
  static float* allocate(float* memory) {
    if (!memory) throw std::runtime_error("the device has not enough memory for this part of the plate");
    return memory;
  }

  float* to_above() const { return m_border; }
  float* to_below() const { return m_border + m_columns; }
  float* from_above() const { return m_border + 2 * m_columns; }
  float* from_below() const { return m_border + 3 * m_columns; }

  /// Computes `count` rows from `first` on, without the border of the plate.
  void compute(std::size_t first, std::size_t count) {
    if (m_above == MPI_PROC_NULL && first == 1) ++first, --count;
    if (m_below == MPI_PROC_NULL && count > 0 && first + count == m_rows + 1) --count;
    if (count == 0 || m_columns < 3) return;
    const float* old = m_old;
    float* fresh = m_new;
    const std::size_t columns = m_columns;
    m_queue.parallel_for(sycl::range<2>(count, columns - 2), [=](sycl::item<2> item) {
      const std::size_t at = (first + item[0]) * columns + item[1] + 1;
      fresh[at] = next_value(old + at, columns);
    });
  }

  void exchange(const float* send, int to, float* receive, int from) const {
    MPI_Sendrecv(send, static_cast<int>(m_columns), MPI_FLOAT, to, 0, receive, static_cast<int>(m_columns), MPI_FLOAT,
                 from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  sycl::queue& m_queue;
  std::size_t m_columns, m_first, m_rows;
  int m_above, m_below;
  float *m_old, *m_new, *m_border;
};

/// Runs all steps on one thread, with plain loops.
std::vector<float> expected_values(const plate& all) {
  std::vector<float> old(all.rows * all.columns);
  for (std::size_t i = 0; i < old.size(); ++i) old[i] = initial_value(i / all.columns, i % all.columns);
  std::vector<float> fresh = old;
  for (std::size_t step = 0; step < all.steps; ++step) {
    for (std::size_t row = 1; row + 1 < all.rows; ++row) {
      for (std::size_t column = 1; column + 1 < all.columns; ++column) {
        fresh[row * all.columns + column] = next_value(&old[row * all.columns + column], all.columns);
      }
    }
    std::swap(old, fresh);
  }
  return old;
}

/// The number of values of this rank that differ from the result of plain loops.
long long count_wrong(const plate& all, part_of_plate& mine) {
  const std::vector<float> values = mine.result(), expected = expected_values(all);
  long long wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != expected[mine.first() * all.columns + i];
  return wrong;
}

bool parse(const char* text, std::size_t least, std::size_t& value) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value >= least && value <= 1'000'000;
}

int run(int argument_count, char** arguments, int rank, int ranks) {
  plate all;
  std::size_t* const values[] = {&all.rows, &all.columns, &all.steps};
  for (int i = 1; i < argument_count; ++i) {
    const std::size_t least = i == 1 ? static_cast<std::size_t>(ranks) : i == 2 ? 1 : 0;
    if (i <= 3 && parse(arguments[i], least, *values[i - 1])) continue;
    if (rank == 0) std::fputs("usage: stencil_mpi [ROWS [COLUMNS [STEPS]]], at least one row for each rank\n", stderr);
    return 2;
  }
  sycl::queue queue(device_of_rank(), sycl::property::queue::in_order());
  part_of_plate mine(queue, all, rank, ranks);
  std::printf("rank %d of %d: rows %zu to %zu on %s, %u compute units\n", rank, ranks, mine.first(),
              mine.first() + mine.rows() - 1, queue.get_device().get_info<sycl::info::device::name>().c_str(),
              queue.get_device().get_info<sycl::info::device::max_compute_units>());
  std::fflush(stdout);

  // The first step compiles the kernel or loads it from the cache, so it is timed separately.
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  auto first = begin;
  for (std::size_t i = 0; i < all.steps; ++i) {
    mine.step();
    if (i == 0) MPI_Barrier(MPI_COMM_WORLD), first = std::chrono::steady_clock::now();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto end = std::chrono::steady_clock::now();

  long long wrong = count_wrong(all, mine), all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
    std::printf("%d ranks, %zu x %zu, %zu steps: the first %.1f ms, the others %.1f ms; %s\n", ranks, all.rows,
                all.columns, all.steps, ms(first - begin), ms(end - first),
                all_wrong == 0 ? "right" : ("WRONG: " + std::to_string(all_wrong) + " values").c_str());
  }
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int rank = 0, ranks = 1, code = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    code = run(argument_count, arguments, rank, ranks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stencil_mpi, rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // otherwise the other ranks would wait for ever
  }
  MPI_Finalize();
  return code;
}
