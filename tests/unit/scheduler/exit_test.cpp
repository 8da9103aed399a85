/// A host task calls exit() while worker threads and waiting threads hold commands that they have not begun to
/// run. These commands must be complete before static objects are destroyed.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <scheduler/test_hooks.hpp>
#include <sycl/sycl.hpp>
#include <thread>

namespace {

int count = 0;
std::atomic<int> others{0};

struct last_object {
  ~last_object() {
    if (others.load() == count) _exit(0);
    std::fprintf(stderr, "%d of %d commands have run when static objects end\n", others.load(), count);
    _exit(1);
  }
} last;

}  // namespace

int main(int, char** words) {
  count = std::atoi(words[1]);
  sycl::detail::test_hooks().late_starts = true;
  sycl::queue queue, other;
  for (int i = 0; i < count; ++i) {
    sycl::event event = other.submit([](sycl::handler& handler) { handler.host_task([] { ++others; }); });
    if (i % 2 == 0) std::thread([event]() mutable { event.wait(); }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  sycl::detail::test_hooks().late_starts = false;
  queue.submit([](sycl::handler& handler) { handler.host_task([] { std::exit(1); }); }).wait();
  return 1;
}
