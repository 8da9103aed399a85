/// The number of threads that run kernels. A short range with long work-items runs in parallel. With
/// SINTER_THREADS=1, only one launch runs at a time, even in an out-of-order queue. The tests run the program with
/// this variable and without it.

#include "check.hpp"

namespace {

using counter = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;

// This many square roots take some milliseconds.
constexpr int roots = 400'000;

/// Returns how many work-items ran this function at the same time. A work-item reads the number of work-items that are
/// in this function before and after it computes `times` square roots, and returns the larger number. Each root depends
/// on the one before, so the compiler can't shorten the chain.
unsigned most_together(unsigned& running, int times) {
  const unsigned before = ++counter(running);
  float root = static_cast<float>(before);
  for (int i = 0; i < times; ++i) root = sycl::sqrt(root + 1);
  const unsigned behind = counter(running).load() + (root > 3.0e9f ? 1 : 0);
  --counter(running);
  return sycl::max(before, behind);
}

bool has_threads(const sycl::queue& queue) {
  return queue.get_device().get_info<sycl::info::device::max_compute_units>() > 1;
}

}  // namespace

TEST("work-items of a short range that take long run side by side") {
  sycl::queue queue;
  if (!has_threads(queue)) return;
  unsigned* running = sycl::malloc_shared<unsigned>(1, queue);
  unsigned* together = sycl::malloc_shared<unsigned>(31, queue);
  *running = 0;
  for (const std::size_t items : {3u, 8u, 31u}) {
    unsigned most = 0;
    // If other programs use the processors, a launch may get only one thread, so the test tries ten launches.
    for (int launch = 0; launch < 10 && most < 2; ++launch) {
      queue.parallel_for(sycl::range(items), [=](sycl::id<1> i) { together[i[0]] = most_together(*running, roots); })
          .wait();
      for (std::size_t i = 0; i < items; ++i) most = std::max(most, together[i]);
    }
    CHECK(most >= 2);
  }
  sycl::free(running, queue);
  sycl::free(together, queue);
}

TEST("one thread runs one launch at a time") {
  sycl::queue queue;
  if (has_threads(queue)) return;
  unsigned* running = sycl::malloc_shared<unsigned>(1, queue);
  unsigned* together = sycl::malloc_shared<unsigned>(16, queue);
  *running = 0;
  for (std::size_t launch = 0; launch < 16; ++launch) {
    queue.single_task([=] { together[launch] = most_together(*running, roots / 10); });
  }
  queue.wait();
  for (std::size_t launch = 0; launch < 16; ++launch) CHECK_EQUAL(together[launch], 1u);
  sycl::free(running, queue);
  sycl::free(together, queue);
}

E2E_MAIN
