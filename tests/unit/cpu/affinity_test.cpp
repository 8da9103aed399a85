/// Checks which processors threads run on. The test suite sets SINTER_AFFINITY: each worker thread stays on one
/// processor, and threads that call Sinter may run on any. In library mode, a kernel can ask which processors its
/// thread may use.

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

namespace {

int usable_processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

}  // namespace

TEST_CASE("workers stay on one processor when asked to") {
  const char* wanted = std::getenv("SINTER_AFFINITY");
  const bool pinned = wanted && std::strcmp(wanted, "1") == 0;
  const int all = usable_processors();
  const auto caller = static_cast<int>(gettid());
  sycl::queue queue;
  constexpr std::size_t count = 100'000;
  std::vector<int> threads(count), processors(count);
  bool worker_seen = false;
  // If the other threads are busy, one thread may run a whole launch, so the test repeats the launch.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (int attempt = 0; !(worker_seen && attempt > 3) && std::chrono::steady_clock::now() < end; ++attempt) {
    int *thread = threads.data(), *processor = processors.data();
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> i) {
                        thread[i] = static_cast<int>(gettid());
                        processor[i] = usable_processors();
                      })
        .wait();
    for (std::size_t i = 0; i < count; ++i) {
      const bool single = processor[i] == 1;
      REQUIRE((single || processor[i] == all));
      if (all == 1) continue;
      if (!pinned) REQUIRE(!single);
      if (thread[i] == caller) REQUIRE(!single);
      worker_seen |= single;
    }
    if (!pinned || all == 1) break;
  }
  if (pinned && all > 1) CHECK(worker_seen);
  CHECK(usable_processors() == all);
}

TEST_CASE("threads of ours are not kept where the program keeps the thread that starts them") {
  const char* wanted = std::getenv("SINTER_AFFINITY");
  const bool pinned = wanted && std::strcmp(wanted, "1") == 0;
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
  const int all = CPU_COUNT(&set);
  if (all == 1) return;
  sycl::device cpu{sycl::cpu_selector_v};
  // The sub-device has its own threads, which do not exist yet.
  const sycl::device part = cpu.create_sub_devices<sycl::info::partition_property::partition_by_counts>({2}).front();
  std::thread([&] {
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
    const auto caller = static_cast<int>(gettid());
    bool other_seen = false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (const sycl::device& device : {part, cpu}) {
      sycl::queue queue(device);
      constexpr std::size_t count = 100'000;
      std::vector<int> threads(count), processors(count);
      int *thread = threads.data(), *processor = processors.data();
      for (int attempt = 0; attempt < 4 || (!other_seen && std::chrono::steady_clock::now() < end); ++attempt) {
        queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
          thread[i] = static_cast<int>(gettid());
          processor[i] = usable_processors();
        });
        queue.wait();
        int wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
          if (threads[i] == caller) continue;
          other_seen = true;
          wrong += processors[i] != all && !(pinned && processors[i] == 1);
        }
        CHECK(wrong == 0);
      }
      CHECK(other_seen);
    }
    CHECK(usable_processors() == 1);
  }).join();
}
