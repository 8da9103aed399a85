/// How many threads run kernels: work-items of a short range that take long run side by side, and SINTER_THREADS=1 has
/// one launch at a time, whatever the order of the queue. Called with that variable and without.

#include "check.hpp"

namespace {

using counter = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;

// Long enough for a thread to wake on a busy machine, when nothing else is wrong.
constexpr unsigned long most_looks = 300'000'000;

bool has_threads(const sycl::queue& queue) {
  return queue.get_device().get_info<sycl::info::device::max_compute_units>() > 1;
}

}  // namespace

TEST("work-items of a short range that take long run side by side") {
  sycl::queue queue;
  if (!has_threads(queue)) return;
  unsigned* started = sycl::malloc_shared<unsigned>(1, queue);
  unsigned* met = sycl::malloc_shared<unsigned>(32, queue);
  for (const std::size_t items : {2u, 3u, 8u, 31u}) {
    for (int launch = 0; launch < 3; ++launch) {
      *started = 0;
      queue
          .parallel_for(sycl::range(items),
                        [=](sycl::id<1> i) {
                          // A thread that runs all of them would be alone with its first one.
                          const unsigned before = counter(*started)++;
                          unsigned long looks = 0;
                          while (before == 0 && counter(*started).load() < 2 && looks < most_looks) ++looks;
                          met[i[0]] = looks < most_looks;
                        })
          .wait();
      for (std::size_t i = 0; i < items; ++i) CHECK_EQUAL(met[i], 1u);
      CHECK_EQUAL(*started, static_cast<unsigned>(items));
    }
  }
  sycl::free(started, queue);
  sycl::free(met, queue);
}

TEST("one thread runs one launch at a time") {
  sycl::queue queue;
  if (has_threads(queue)) return;
  unsigned* running = sycl::malloc_shared<unsigned>(1, queue);
  unsigned* together = sycl::malloc_shared<unsigned>(16, queue);
  *running = 0;
  for (std::size_t launch = 0; launch < 16; ++launch) {
    queue.single_task([=] {
      unsigned most = ++counter(*running);
      for (int look = 0; look < 300'000; ++look) most = sycl::max(most, counter(*running).load());
      together[launch] = most;
      --counter(*running);
    });
  }
  queue.wait();
  for (std::size_t launch = 0; launch < 16; ++launch) CHECK_EQUAL(together[launch], 1u);
  sycl::free(running, queue);
  sycl::free(together, queue);
}

E2E_MAIN
