/// Many threads launch the same kernels at the same moment.
#include <barrier>
#include <thread>

#include "check.hpp"

namespace {

constexpr int threads = 6;
constexpr std::size_t count = 300;

/// Runs `work(thread)` in several threads that start together.
template <class Work>
void together(Work work) {
  std::barrier start(threads);
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  }
  for (std::thread& one : all) one.join();
}

} // namespace

TEST("threads that ask for one kernel at once all get it") {
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(count * threads, queue);
  together([&](int thread) {
    int* mine = data + static_cast<std::size_t>(thread) * count;
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { mine[i] = static_cast<int>(i[0]) + thread; }).wait();
  });
  for (std::size_t i = 0; i < count * threads; ++i) CHECK_EQUAL(data[i], static_cast<int>(i % count + i / count));
  sycl::free(data, queue);
}

TEST("threads with their own queues and different kernels do not disturb each other") {
  std::vector<long> sums(threads);
  together([&](int thread) {
    sycl::queue queue = e2e::make_queue();
    long* data = sycl::malloc_shared<long>(count, queue);
    for (int round = 0; round < 5; ++round) {
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = static_cast<long>(i[0]); }).wait();
      queue
          .parallel_for(sycl::nd_range<1>(count, 20),
                        [=](sycl::nd_item<1> item) {
                          data[item.get_global_id(0)] += static_cast<long>(item.get_local_id(0)) * thread;
                        })
          .wait();
    }
    for (std::size_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(thread)] += data[i];
    sycl::free(data, queue);
  });
  for (int thread = 0; thread < threads; ++thread) {
    CHECK_EQUAL(sums[static_cast<std::size_t>(thread)], 300l * 299 / 2 + 15l * 190 * thread);
  }
}

E2E_MAIN
