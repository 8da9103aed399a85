/// Measures how long the host takes for a launch on any device, in ns. The result is the shortest time of many short
/// rounds, so that a busy machine does not matter. The tests' drivers do almost nothing if TEST_HIP_RUN or TEST_ZE_RUN
/// is 0. The fake CUDA driver always does almost nothing. With these drivers, nearly all of the time is Sinter's. Run
/// by hand: SINTER_DEVICE=hip:0 LD_LIBRARY_PATH=<folder of the judge> launch_cost

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include <sycl/sycl.hpp>

namespace {

constexpr int launches = 50, rounds = 400;

/// Times only the submissions. The waits follow after the clock has stopped.
template <class Submit>
void measure(const char* what, sycl::queue& queue, const Submit& submit) {
  submit();
  queue.wait();
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) submit();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    queue.wait();
    least = std::min(least, time.count() / launches);
  }
  std::printf("%-40s %7.0f ns\n", what, least);
}

}  // namespace

int main() {
  sycl::queue in_order{sycl::property::queue::in_order()}, any_order{in_order.get_device()};
  std::printf("%s\n", in_order.get_device().get_info<sycl::info::device::name>().c_str());
  int* memory = sycl::malloc_device<int>(1024, in_order);
  int* others = sycl::malloc_device<int>(1024, any_order);
  measure("single_task, in order", in_order, [&] { in_order.single_task([=] { *memory = 1; }); });
  measure("parallel_for of a range, in order", in_order,
          [&] { in_order.parallel_for(sycl::range<1>(256), [=](sycl::id<1> i) { memory[i] = 1; }); });
  measure("parallel_for of groups, in order", in_order, [&] {
    in_order.parallel_for(sycl::nd_range<1>(256, 64),
                          [=](sycl::nd_item<1> i) { memory[i.get_global_id(0)] = 2; });
  });
  measure("single_task, any order", any_order, [&] { any_order.single_task([=] { *others = 1; }); });
  sycl::buffer<int> buffer{sycl::range<1>(1024)};
  measure("parallel_for with an accessor, in order", in_order, [&] {
    in_order.submit([&](sycl::handler& handler) {
      sycl::accessor data(buffer, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> i) { data[i] += 1; });
    });
  });
  measure("fill of a KiB, in order", in_order, [&] { in_order.fill(memory, 1, 256); });
  sycl::free(memory, in_order);
  sycl::free(others, any_order);
  return 0;
}
