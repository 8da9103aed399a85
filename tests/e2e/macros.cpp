/// Kernels with the same source position: several on one line, and several from one macro argument.
#include "check.hpp"

#define LAUNCH(...) queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { __VA_ARGS__; }).wait()
#define BOTH(first, second) \
  LAUNCH(first);            \
  LAUNCH(second)
#define TWICE(...)     \
  LAUNCH(__VA_ARGS__); \
  LAUNCH(__VA_ARGS__)
#define WHOLE_KERNEL(operation) [=](sycl::id<1> i) { data[i] = data[i] operation; }

TEST("two kernels on one line are two kernels") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 21;
  int* data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 1);
  const sycl::range<1> n(count);
  using id = sycl::id<1>;
  // clang-format off
  queue.parallel_for(n, [=](id i) { data[i] += 5; }).wait(); queue.parallel_for(n, [=](id i) { data[i] *= 7; }).wait();
  // clang-format on
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 42);
  sycl::free(data, queue);
}

TEST("kernels out of one macro are told apart") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 35;
  int* data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 3);
  BOTH(data[i] += 4, data[i] *= 11);
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 77);
  TWICE(data[i] += static_cast<int>(i[0]));
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 77 + 2 * static_cast<int>(i));
  queue.parallel_for(sycl::range<1>(count), WHOLE_KERNEL(-1)).wait();
  queue.parallel_for(sycl::range<1>(count), WHOLE_KERNEL(*2)).wait();
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 2 * (76 + 2 * static_cast<int>(i)));
  sycl::free(data, queue);
}

E2E_MAIN
