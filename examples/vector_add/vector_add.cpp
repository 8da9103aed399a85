/// Adds two vectors: the smallest complete program.

#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

int main() try {
  std::vector<float> a(1000, 1.5f), b(1000, 2.0f), sum(1000);
  sycl::queue queue;
  {
    sycl::buffer buffer_a(a), buffer_b(b), buffer_sum(sum);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in_a(buffer_a, handler, sycl::read_only), in_b(buffer_b, handler, sycl::read_only);
      sycl::accessor out(buffer_sum, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range(sum.size()), [=](sycl::id<1> i) { out[i] = in_a[i] + in_b[i]; });
    });
  }  // the buffers wait for the kernel and write the result back to `sum`
  for (float value : sum)
    if (value != 3.5f) return std::puts("wrong result"), 1;
  std::printf("1000 sums are right, on %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
} catch (const sycl::exception& error) {
  return std::fprintf(stderr, "vector_add: %s\n", error.what()), 1;
}
