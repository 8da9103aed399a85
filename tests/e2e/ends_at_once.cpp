/// A program that ends while its kernels are still being compiled. The program must wait for the compiler before it
/// ends, and nothing must crash. A static object's destructor checks the kernels' results.

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int queues = 4, count = 1000;

/// The static object still exists when commands run, because the program waits for the queues' commands before it
/// destroys static objects.
struct results {
  float* data[queues] = {};
  ~results() {
    for (int k = 0; k < queues; ++k) {
      for (int i = 0; i < count; ++i) {
        if (std::fabs(data[k][i] - std::sin(static_cast<float>(i)) - static_cast<float>(k)) < 1e-3f) continue;
        std::printf("queue %d did not write element %d\n", k, i);
        std::fflush(stdout);
        std::_Exit(1);
      }
    }
  }
} written;

template <int K>
void submit(bool in_order) {
  sycl::queue queue = in_order ? sycl::queue{sycl::property::queue::in_order{}} : sycl::queue{};
  float* data = written.data[K] = sycl::malloc_shared<float>(count, queue);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    data[i] = sycl::sin(static_cast<float>(i[0])) + static_cast<float>(K);
  });
}

} // namespace

int main() {
  submit<0>(true);
  submit<1>(false);
  submit<2>(true);
  submit<3>(false);
}
