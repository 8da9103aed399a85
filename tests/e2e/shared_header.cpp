/// Tests kernels in a header that two files include. Also tests kernels in anonymous namespaces: both files have a
/// kernel of the same name in such a namespace.
#include "shared_header.hpp"

#include "check.hpp"

namespace {

class same_name;

struct functor {
  int* data;
  void operator()(sycl::id<1> i) const { data[i] = data[i] * 10 + 1; }
};

} // namespace

TEST("a kernel in a header works from both files") {
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(37, queue);
  for (int i = 0; i < 37; ++i) data[i] = i;
  add_in_header(queue, data, 37, 1);
  second_file_add(queue, data, 37, 2);
  scale_in_header(queue, data, 37, 3);
  second_file_scale(queue, data, 37, 5);
  for (int i = 0; i < 37; ++i) CHECK_EQUAL(data[i], (i + 3) * 15);
  sycl::free(data, queue);
}

TEST("kernels of anonymous namespaces with one name stay apart") {
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(19, queue);
  std::fill(data, data + 19, 0);
  queue.parallel_for<same_name>(sycl::range<1>(19), [=](sycl::id<1> i) { data[i] += 1000; }).wait();
  queue.parallel_for(sycl::range<1>(19), functor{data}).wait();
  for (int i = 0; i < 19; ++i) CHECK_EQUAL(data[i], 10001);
  second_file_anonymous(queue, data, 19);
  for (int i = 0; i < 19; ++i) CHECK_EQUAL(data[i], 120012);
  sycl::free(data, queue);
}

E2E_MAIN
