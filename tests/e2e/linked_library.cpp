/// This program links a library with kernels, and has kernels of its own with the same name.
#include "check.hpp"

class library_kernel;

extern "C" void library_run(sycl::queue* queue, int* data, std::size_t count);

TEST("kernels of a linked library and of the program run side by side") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    int* data = sycl::malloc_shared<int>(count + 1, queue);
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i);
    library_run(&queue, data, count);
    queue.parallel_for<library_kernel>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] *= 3; }).wait();
    library_run(&queue, data, count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK_EQUAL(data[i], ((static_cast<int>(i) + SINTER_E2E_AMOUNT) / 2 * 3 + SINTER_E2E_AMOUNT) / 2);
    }
    sycl::free(data, queue);
  }
}

E2E_MAIN
