/// Groups that fold a row of a matrix: each work-item combines every n-th element (n: the size of the group), and a
/// group function combines their results. Values are such that no operation rounds, so all orders give the same bits.
/// Some rows are shorter than a group, and other rows are longer. Some group sizes are multiples of the vector length,
/// and others are not. Some groups leave early.
#include "check.hpp"

#include <algorithm>

namespace {

constexpr std::size_t rows = 5, longest = 5 * 272 + 3;
constexpr std::size_t widths[] = {0, 1, 15, 255, 256, 257, 272, 700, 768, 1024, longest};

template <class T>
struct matrix {
  matrix() : queue(e2e::make_queue()), data(sycl::malloc_shared<T>(rows * longest, queue)) {
    for (std::size_t i = 0; i < rows * longest; ++i) data[i] = static_cast<T>(e2e::random()() % 97);
  }
  ~matrix() { sycl::free(data, queue); }
  matrix(const matrix&) = delete;
  matrix& operator=(const matrix&) = delete;

  sycl::queue queue;
  T* data;
};

/// The work-item's own part of a row.
template <class Index, class T, class Operation>
T part_of(const T* row, Index first, Index width, Index step, T start, const Operation& operation) {
  T all = start;
  for (Index x = first; x < width; x += step) all = operation(all, row[x]);
  return all;
}

/// Each group folds its row. Each work-item also stores its own part, and some groups have left before.
template <class T, class Index, class Operation>
void folds(std::size_t local, Operation operation, T start) {
  matrix<T> memory;
  sycl::queue& queue = memory.queue;
  const T* data = memory.data;
  T* out = sycl::malloc_shared<T>(rows * (local + 1), queue);
  for (const std::size_t width : widths) {
    std::fill_n(out, rows * (local + 1), T(77));
    queue.parallel_for(sycl::nd_range<1>(rows * local, local), [=](sycl::nd_item<1> item) {
      const std::size_t group = item.get_group(0), own = item.get_local_id(0);
      if (group % 3 == 1) return;
      const T part = part_of<Index>(data + group * width, static_cast<Index>(own), static_cast<Index>(width),
                                    static_cast<Index>(local), start, operation);
      const T all = sycl::reduce_over_group(item.get_group(), part, operation);
      out[group * (local + 1) + own] = part;
      if (own + 1 == local) out[group * (local + 1) + local] = all;
    }).wait();
    std::vector<T> expected(rows * (local + 1), T(77));
    for (std::size_t group = 0; group < rows; ++group) {
      if (group % 3 == 1) continue;
      T all = start;
      for (std::size_t own = 0; own < local; ++own) {
        const T part = part_of<std::size_t>(data + group * width, own, width, local, start, operation);
        expected[group * (local + 1) + own] = part;
        all = own == 0 ? part : operation(all, part);
      }
      expected[group * (local + 1) + local] = all;
    }
    CHECK_ALL_EQUAL(std::vector<T>(out, out + rows * (local + 1)), expected);
  }
  sycl::free(out, queue);
}

/// Two values in one loop, and three loops with a group function after each of the first two.
template <class T, class Index>
void several(std::size_t local) {
  matrix<T> memory;
  sycl::queue& queue = memory.queue;
  const T* data = memory.data;
  T* out = sycl::malloc_shared<T>(rows * longest, queue);
  for (const std::size_t width : widths) {
    std::fill_n(out, rows * longest, T(77));
    queue.parallel_for(sycl::nd_range<1>(rows * local, local), [=](sycl::nd_item<1> item) {
      const auto group = item.get_group();
      const auto end = static_cast<Index>(width), step = static_cast<Index>(local);
      const auto first = static_cast<Index>(item.get_local_id(0));
      const T* row = data + group.get_group_linear_id() * width;
      T* to = out + group.get_group_linear_id() * width;
      T sum = 0, most = 0, near = 0;
      for (Index x = first; x < end; x += step) {
        sum += row[x];
        most = sycl::max(most, row[x]);
      }
      sum = sycl::reduce_over_group(group, sum, sycl::plus<T>());
      most = sycl::reduce_over_group(group, most, sycl::maximum<T>());
      for (Index x = first; x < end; x += step) near += most - row[x];
      near = sycl::reduce_over_group(group, near, sycl::plus<T>());
      for (Index x = first; x < end; x += step) to[x] = row[x] + sum + near + most;
    }).wait();
    std::vector<T> expected(rows * longest, T(77));
    for (std::size_t group = 0; group < rows; ++group) {
      const T* row = data + group * width;
      T sum = 0, most = 0, near = 0;
      for (std::size_t x = 0; x < width; ++x) sum += row[x], most = std::max(most, row[x]);
      for (std::size_t x = 0; x < width; ++x) near += most - row[x];
      for (std::size_t x = 0; x < width; ++x) expected[group * width + x] = row[x] + sum + near + most;
    }
    CHECK_ALL_EQUAL(std::vector<T>(out, out + rows * longest), expected);
  }
  sycl::free(out, queue);
}

}  // namespace

TEST("groups sum up rows of floats, whatever their size is") {
  for (const std::size_t local : {16, 48, 64, 100, 128, 256, 272}) folds<float, int>(local, sycl::plus<float>(), 0.0f);
  folds<float, std::size_t>(256, sycl::plus<float>(), 3.0f);
}

TEST("groups fold rows by other operations and types") {
  folds<double, int>(128, sycl::plus<double>(), 0.0);
  folds<double, int>(256, sycl::maximum<double>(), -1.0);
  folds<float, unsigned>(256, sycl::minimum<float>(), 50.0f);
  folds<int, int>(256, sycl::plus<int>(), 5);
  folds<unsigned, std::size_t>(256, sycl::bit_xor<unsigned>(), 0u);
  folds<std::uint64_t, int>(128, sycl::bit_and<std::uint64_t>(), ~std::uint64_t{0});
  folds<std::uint16_t, int>(256, sycl::bit_or<std::uint16_t>(), 0);
  folds<std::int8_t, int>(256, sycl::maximum<std::int8_t>(), -5);
  folds<std::uint64_t, long>(64, sycl::multiplies<std::uint64_t>(), 1);
}

TEST("groups fold rows by an operation without a known identity") {
  folds<int, int>(256, [](int a, int b) { return a + b; }, 1);
}

TEST("several folds follow each other in one kernel") {
  several<float, int>(256);
  several<int, unsigned>(256);
  several<double, std::size_t>(64);
  several<float, int>(100);
}

E2E_MAIN
