/// When the captures of kernels are destroyed that the runtime has fused by itself, on a device that works by itself.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/sycl.hpp>
#include <thread>

#include "fake_driver.hpp"

namespace {

/// Knows when the last copy of a captured object is destroyed.
struct last_copy {
  std::function<void()> at_end;
  std::atomic<int> copies{0};
  std::atomic<bool> is_gone{false};
};

class counted_capture {
public:
  explicit counted_capture(last_copy* known) : m_known(reinterpret_cast<std::uintptr_t>(known)) { ++known->copies; }
  counted_capture(const counted_capture& other) : counted_capture(other.known()) {}
  ~counted_capture() {
    if (--known()->copies != 0) return;
    known()->at_end();
    known()->is_gone = true;
  }

private:
  last_copy* known() const { return reinterpret_cast<last_copy*>(m_known); }

  std::uintptr_t m_known;  ///< a pointer would be an argument of the kernel
};

}  // namespace

template <>
struct sycl::is_device_copyable<counted_capture> : std::true_type {};

// While one thread completes the fused command, another thread may complete the kernels' own commands. If both threads
// destroyed the captures of a kernel, they would sometimes destroy these captures twice. So only the completion of the
// kernel's own command destroys its captures. The host task of this test waits for the fused command, but not for the
// kernels' own commands.
TEST_CASE("captures of a kernel that was fused by itself are destroyed when the kernel's own command completes") {
  sycl::queue queue(sycl::gpu_selector_v, sycl::ext::sinter::property::queue::auto_fusion());
  constexpr std::size_t count = 1 << 20;
  sycl::buffer<float> buffer{sycl::range<1>(count)};
  int fused_rounds = 0, right_rounds = 0;
  const auto run_round = [&] {
    const auto before = fake_driver_calls.launches.size();
    std::atomic<bool> has_task_run{false};
    bool was_in_time = false;
    last_copy of_first{[&] {
      const auto start = std::chrono::steady_clock::now();
      while (!has_task_run && std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200)) {
        std::this_thread::yield();
      }
      was_in_time = has_task_run;
    }};
    queue.submit([&](sycl::handler& group) {
      sycl::accessor memory(buffer, group, sycl::read_write);
      const counted_capture counted(&of_first);
      group.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        (void)&counted;
        memory[i] *= 2;
      });
    });
    for (int more = 0; more < 2; ++more) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor memory(buffer, group, sycl::read_write);
        group.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { memory[i] += 3; });
      });
    }
    queue.submit([&](sycl::handler& group) {
      sycl::accessor memory(buffer, group, sycl::read_only_host_task);
      group.host_task([=, &has_task_run] {
        (void)&memory;
        has_task_run = true;
      });
    });
    queue.wait();
    while (!of_first.is_gone) std::this_thread::yield();
    if (fake_driver_calls.launches.size() - before != 1) return;
    ++fused_rounds;
    right_rounds += was_in_time ? 1 : 0;
  };
  // The code of the fused kernel is compiled in the background, so the first rounds are not fused.
  for (int i = 0; i < 5000 && fused_rounds < 5; ++i) {
    run_round();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(fused_rounds == 5);
  CHECK(right_rounds == fused_rounds);
}
