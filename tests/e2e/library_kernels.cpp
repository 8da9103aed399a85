/// Kernels of a library. The library is linked statically, linked as a shared library, or opened and closed at run
/// time.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <vector>

class library_kernel;

namespace {
struct halve {
  int* data;
  void operator()(sycl::id<1> i) const { data[i] /= 2; }
};
} // namespace

/// Computes data[i] = (data[i] + SINTER_E2E_AMOUNT) / 2.
extern "C" __attribute__((visibility("default"))) void library_run(sycl::queue* queue, int* data, std::size_t count) {
  queue->parallel_for<library_kernel>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += SINTER_E2E_AMOUNT; })
      .wait();
  queue->parallel_for(sycl::range<1>(count), halve{data}).wait();
}

namespace {

template <int Step>
struct add_step {
  int* data;
  void operator()(sycl::id<1> i) const { data[i] += Step; }
};

} // namespace

/// Submits two host tasks that depend on `before` and add 1 and 2 to data[0]. One of them has a large function object.
/// The function does not wait.
extern "C" __attribute__((visibility("default"))) void library_submit_host(sycl::queue* queue, sycl::event* before,
                                                                           int* data) {
  const sycl::event first = queue->submit([&](sycl::handler& handler) {
    handler.depends_on(*before);
    handler.host_task([=] { data[0] += 1; });
  });
  queue->submit([&](sycl::handler& handler) {
    handler.depends_on(first);
    const std::vector<int> steps(100, 2);
    handler.host_task([=] { data[0] += steps[data[0] >= 1 ? 7 : 0]; });
  });
}

/// Submits kernels that depend on `before` and add 1, 2 and 3 to data[i]. The function does not wait.
extern "C" __attribute__((visibility("default"))) void library_submit(sycl::queue* queue, sycl::event* before,
                                                                      int* data, std::size_t count) {
  sycl::event last = queue->parallel_for(sycl::range<1>(count), *before, add_step<1>{data});
  last = queue->parallel_for(sycl::range<1>(count), last, add_step<2>{data});
  // The scheduler has separate code for commands with accessors.
  sycl::buffer<int> other{sycl::range<1>(1)};
  queue->submit([&](sycl::handler& handler) {
    handler.depends_on(last);
    sycl::accessor used(other, handler, sycl::write_only);
    handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
      data[i] += 3;
      if (i == 0) used[0] = data[i];
    });
  });
}
