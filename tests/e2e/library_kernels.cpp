/// Kernels of a library: linked statically, linked as a shared library, and opened and closed at run time.
#include <sycl/sycl.hpp>

#include <cstddef>

class library_kernel;

namespace {
struct halve {
  int* data;
  void operator()(sycl::id<1> i) const { data[i] /= 2; }
};
} // namespace

/// data[i] = (data[i] + SINTER_E2E_AMOUNT) / 2
extern "C" __attribute__((visibility("default"))) void library_run(sycl::queue* queue, int* data, std::size_t count) {
  queue->parallel_for<library_kernel>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += SINTER_E2E_AMOUNT; })
      .wait();
  queue->parallel_for(sycl::range<1>(count), halve{data}).wait();
}
