/// single_task and parallel_for over a range: every dimension, parameter type and kind of function object.
#include "check.hpp"

class named_kernel;
template <int>
class numbered_kernel;

namespace {

struct square_functor {
  int* out;
  void operator()(sycl::id<1> i) const { out[i] = static_cast<int>(i[0] * i[0]); }
};

struct item_functor {
  std::size_t* out;
  std::size_t factor = 3;
  void operator()(sycl::item<2> item) const { out[item.get_linear_id()] = item.get_linear_id() * factor; }
};

/// Multiplies row i of `matrix` by `vector`. The numbers are small integers, so their sums are exact.
template <typename T>
void multiply_rows(sycl::queue& queue, std::size_t rows, std::size_t columns) {
  T* matrix = sycl::malloc_shared<T>(rows * columns + 1, queue);
  T* vector = sycl::malloc_shared<T>(columns + 1, queue);
  T* out = sycl::malloc_shared<T>(rows, queue);
  for (std::size_t i = 0; i < rows * columns; ++i) matrix[i] = static_cast<T>(i * 7 % 31);
  for (std::size_t k = 0; k < columns; ++k) vector[k] = static_cast<T>(k * 5 % 17);
  queue
      .parallel_for(sycl::range<1>(rows),
                    [=](sycl::id<1> i) {
                      T sum = 0;
                      for (std::size_t k = 0; k < columns; ++k) sum += matrix[i[0] * columns + k] * vector[k];
                      out[i] = sum;
                    })
      .wait();
  for (std::size_t i = 0; i < rows; ++i) {
    T sum = 0;
    for (std::size_t k = 0; k < columns; ++k) sum += matrix[i * columns + k] * vector[k];
    CHECK_EQUAL(out[i], sum);
  }
  for (T* each : {matrix, vector, out}) sycl::free(each, queue);
}

constexpr std::size_t huge = std::size_t{1} << 40;  ///< huge * huge does not fit into 64 bits
/// In these shapes, some sizes are 0, some are 1, and some are not a multiple of a vector's width. Such sizes are in
/// the last dimension and in the other dimensions.
const sycl::range<2> shapes2[] = {{0, 5}, {5, 0}, {1, 1}, {1, 37}, {37, 1}, {3, 17}, {16, 16}, {33, 65}};
const sycl::range<3> shapes3[] = {{0, 1, 1}, {0, huge, huge}, {huge, 0, huge}, {huge, huge, 0},
                                  {1, 1, 1}, {2, 3, 5}, {1, 7, 33}, {9, 1, 17}, {4, 16, 16}};

} // namespace

TEST("single_task runs once") {
  sycl::queue queue = e2e::make_queue();
  int* count = sycl::malloc_shared<int>(1, queue);
  *count = 0;
  queue.single_task([=] { *count += 1; }).wait();
  queue.single_task<named_kernel>([=] { *count += 10; }).wait();
  CHECK_EQUAL(*count, 11);
  sycl::free(count, queue);
}

TEST("one dimension: lambdas, named and unnamed, and function objects") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    int* out = sycl::malloc_shared<int>(count + 1, queue);
    std::vector<int> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<int>(i * i);
    const auto verify = [&] {
      out[count] = -1;
      queue.wait();
      CHECK_ALL_EQUAL(std::vector<int>(out, out + count), expected);
      std::fill(out, out + count, -5);
    };
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0] * i[0]); });
    verify();
    queue.parallel_for<numbered_kernel<1>>(sycl::range<1>(count),
                                           [=](sycl::item<1> i) { out[i] = static_cast<int>(i[0] * i.get_id(0)); });
    verify();
    queue.parallel_for(sycl::range<1>(count), square_functor{out});
    verify();
    queue.parallel_for(count, [=](auto i) { out[i] = static_cast<int>(i * i); });
    verify();
    queue.parallel_for(sycl::range<1>(count), [=](std::size_t i) { out[i] = static_cast<int>(i * i); });
    verify();
    queue.parallel_for(sycl::range<1>(count), [=](int i) { out[i] = i * i; });
    verify();
    sycl::free(out, queue);
  }
}

TEST("two dimensions: the last one is the fastest") {
  sycl::queue queue = e2e::make_queue();
  for (sycl::range<2> shape : shapes2) {
    std::size_t* out = sycl::malloc_shared<std::size_t>(shape.size() + 1, queue);
    queue.parallel_for(shape, [=](sycl::id<2> at) { out[at[0] * shape[1] + at[1]] = at[0] * 1000 + at[1]; }).wait();
    for (std::size_t y = 0; y < shape[0]; ++y) {
      for (std::size_t x = 0; x < shape[1]; ++x) CHECK_EQUAL(out[y * shape[1] + x], y * 1000 + x);
    }
    queue.parallel_for(shape, item_functor{out}).wait();
    for (std::size_t i = 0; i < shape.size(); ++i) CHECK_EQUAL(out[i], i * 3);
    sycl::free(out, queue);
  }
}

TEST("three dimensions: ids, ranges and linear ids agree") {
  sycl::queue queue = e2e::make_queue();
  for (sycl::range<3> shape : shapes3) {
    std::size_t* out = sycl::malloc_shared<std::size_t>(shape.size() + 1, queue);
    queue
        .parallel_for<numbered_kernel<3>>(
            shape,
            [=](sycl::item<3> item) {
              const std::size_t linear = (item[0] * item.get_range(1) + item[1]) * item.get_range(2) + item[2];
              out[linear] = item.get_linear_id() == linear && item.get_range() == shape ? linear + 1 : 0;
            })
        .wait();
    for (std::size_t i = 0; i < shape.size(); ++i) CHECK_EQUAL(out[i], i + 1);
    sycl::free(out, queue);
  }
}

TEST("each work-item multiplies a row of a matrix, of any length") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t rows : {1, 7, 8, 70}) {
    for (std::size_t columns : {0, 1, 3, 8, 15, 16, 17, 100}) {
      multiply_rows<float>(queue, rows, columns);
      multiply_rows<double>(queue, rows, columns);
      multiply_rows<int>(queue, rows, columns);
    }
  }
}

TEST("a kernel with loops, branches and calls computes what the host does") {
  sycl::queue queue = e2e::make_queue();
  const auto collatz = [](std::uint32_t n) {
    std::uint32_t steps = 0;
    while (n > 1 && steps < 500) {
      n = n % 2 ? 3 * n + 1 : n / 2;
      ++steps;
    }
    return steps;
  };
  for (std::size_t count : e2e::sizes()) {
    std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(count + 1, queue);
    queue
        .parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = collatz(static_cast<std::uint32_t>(i[0])); })
        .wait();
    std::vector<std::uint32_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = collatz(static_cast<std::uint32_t>(i));
    CHECK_ALL_EQUAL(std::vector<std::uint32_t>(out, out + count), expected);
    sycl::free(out, queue);
  }
}

E2E_MAIN
