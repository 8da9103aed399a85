/// Event counters wrap around. The counters of the judge (the test driver in this folder) wrap around two seconds after
/// the driver was opened. Nevertheless, the times of commands must stay on the host's clock.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <sycl/sycl.hpp>

namespace {

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

constexpr std::uint64_t tolerance = 20'000'000;  // longest time between readings of two clocks

}  // namespace

int main() {
  sycl::queue queue{{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}};
  int* const data = sycl::malloc_device<int>(1000, queue);
  std::uint64_t last = 0;
  int wrong = 0, found = 0;
  const auto check = [&](const char* what, std::uint64_t before, const sycl::event& done) {
    const std::uint64_t start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
    const std::uint64_t end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
    const std::uint64_t after = now();
    ++found;
    if (start + tolerance >= before && start <= end && end <= after + tolerance && last <= start) {
      last = end;
      return;
    }
    ++wrong;
    std::printf("%s: %llu to %llu, where the host saw %llu to %llu, and the last one ended at %llu\n", what,
                static_cast<unsigned long long>(start), static_cast<unsigned long long>(end),
                static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
                static_cast<unsigned long long>(last));
  };
  for (int i = 0; i < 16; ++i) {
    std::uint64_t before = now();
    sycl::event done = queue.fill(data, i, 1000);
    done.wait();
    check("a fill", before, done);
    before = now();
    done = queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> id) { data[id] += 1; });
    done.wait();
    check("a kernel", before, done);
    // The runtime needs several commands to fill memory with a pattern of this size, so the event's time spans all
    // these commands.
    struct odd {
      char bytes[3];
    };
    before = now();
    done = queue.fill(reinterpret_cast<odd*>(data), odd{{1, 2, 3}}, 500);
    done.wait();
    check("a fill by copies", before, done);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  sycl::free(data, queue);
  std::printf("%d of %d times are wrong\n", wrong, found);
  return wrong == 0 ? 0 : 1;
}
