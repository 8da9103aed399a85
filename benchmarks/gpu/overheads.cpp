/// Measures the cost of a command on a GPU, and the speed of the GPU's memory. overheads.cu does the same measurements
/// in CUDA C++.

#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

#include "best.hpp"

namespace {

constexpr int launches = 500;
constexpr std::size_t numbers = std::size_t{1} << 28;

void print(const char* what, double value, const char* unit) { std::printf("%-42s %10.2f %s\n", what, value, unit); }

void measure_launches(const sycl::device& gpu) {
  sycl::queue in_order(gpu, sycl::property::queue::in_order()), any_order(gpu);
  int* memory = sycl::malloc_device<int>(1, in_order);
  const auto submit = [=](sycl::queue& queue) { queue.single_task([=] { *memory = 1; }); };
  const auto many = [&](sycl::queue& queue) {
    submit(queue);
    queue.wait();
    return best_of(20,
                   [&] {
                     for (int i = 0; i < launches; ++i) submit(queue);
                     queue.wait();
                   }) /
           launches;
  };
  print("launch, in order", many(in_order), "us");
  print("launch, out of order", many(any_order), "us");
  print("submit and wait",
        best_of(200,
                [&] {
                  submit(in_order);
                  in_order.wait();
                }),
        "us");
  sycl::buffer<int> buffer{sycl::range<1>(1024)};
  const auto chain = [&](sycl::queue& queue) {
    return best_of(20,
                   [&] {
                     for (int i = 0; i < launches; ++i) {
                       queue.submit([&](sycl::handler& group) {
                         sycl::accessor data(buffer, group, sycl::read_write);
                         group.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> k) { data[k] += 1; });
                       });
                     }
                     queue.wait();
                   }) /
           launches;
  };
  print("chain through accessors, in order", chain(in_order), "us");
  print("chain through accessors, out of order", chain(any_order), "us");
  sycl::free(memory, in_order);
}

void measure_memory(const sycl::device& gpu) {
  sycl::queue queue(gpu, sycl::property::queue::in_order());
  double* a = sycl::malloc_device<double>(numbers, queue);
  double* b = sycl::malloc_device<double>(numbers, queue);
  double* c = sycl::malloc_device<double>(numbers, queue);
  queue.fill(b, 1.0, numbers);
  queue.fill(c, 2.0, numbers).wait();
  const double triad = best_of(
      10, [&] { queue.parallel_for(sycl::range<1>(numbers), [=](sycl::id<1> i) { a[i] = b[i] + 3 * c[i]; }).wait(); });
  print("triad", 3 * sizeof(double) * numbers / triad / 1e6, "TB/s");
  double* sum = sycl::malloc_device<double>(1, queue);
  const double dot = best_of(10, [&] {
    queue
        .parallel_for(sycl::range<1>(numbers), sycl::reduction(sum, sycl::plus<double>()),
                      [=](sycl::id<1> i, auto& s) { s += b[i] * c[i]; })
        .wait();
  });
  print("dot", 2 * sizeof(double) * numbers / dot / 1e6, "TB/s");
  constexpr std::size_t copied = numbers;  // bytes
  char* pinned = sycl::malloc_host<char>(copied, queue);
  std::vector<char> pageable(copied);
  const auto copy = [&](void* to, const void* from) {
    return copied / 1e3 / best_of(5, [&] { queue.memcpy(to, from, copied).wait(); });
  };
  print("copy up, page-locked", copy(a, pinned), "GB/s");
  print("copy down, page-locked", copy(pinned, a), "GB/s");
  print("copy up, pageable", copy(a, pageable.data()), "GB/s");
  print("copy down, pageable", copy(pageable.data(), a), "GB/s");
  for (double* each : {a, b, c, sum}) sycl::free(each, queue);
  sycl::free(pinned, queue);
}

}  // namespace

int main() {
  if (sycl::device::get_devices(sycl::info::device_type::gpu).empty()) {
    std::printf("no GPU\n");
    return 0;
  }
  const sycl::device gpu(sycl::gpu_selector_v);
  measure_launches(gpu);
  measure_memory(gpu);
}
