/// A small program as a user of Sinter writes it: a saxpy and its check.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(1000, 2.0f), y(1000, 1.0f);
  sycl::queue queue;
  {
    sycl::buffer buffer_x(x), buffer_y(y);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(buffer_x, handler, sycl::read_only);
      sycl::accessor out(buffer_y, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { out[i] = 3.0f * in[i] + out[i]; });
    });
  }
  for (float value : y) {
    if (value != 7.0f) return 1;
  }
  std::puts("right");
}
