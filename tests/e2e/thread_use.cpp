/// The number of threads that run kernels: long work-items of a short range run in parallel, and SINTER_THREADS=1 has
/// one launch at a time, even in an out-of-order queue. The program runs with and without this variable.

#include "check.hpp"

namespace {

using counter = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;

// So many square roots take some milliseconds.
constexpr int roots = 400'000;

/// The most work-items that run this function at the same time, which a work-item counts before and after `times`
/// square roots. The compiler can't shorten the chain of roots.
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
    // While other programs use the processors, a launch may get only one thread, so the test tries ten launches.
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
