// This file has a kernel that runs on any device.
#include <sycl/sycl.hpp>

int run_elsewhere(sycl::queue& q, int x) {
  int* data = sycl::malloc_shared<int>(1, q);
  q.single_task<class for_any>([=] { *data = x + 1; }).wait();
  const int result = *data;
  sycl::free(data, q);
  return result;
}
