/// The smallest program with a kernel. The benchmark shows how long Sinter takes to start.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(64, queue);
  queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); }).wait();
  const bool right = data[63] == 63;
  sycl::free(data, queue);
  return right ? 0 : 1;
}
