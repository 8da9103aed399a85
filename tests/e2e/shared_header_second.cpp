/// The second file of the shared_header program.
#include "shared_header.hpp"

namespace {

class same_name;

struct functor {
  int* data;
  void operator()(sycl::id<1> i) const { data[i] = data[i] * 10 + 2; }
};

} // namespace

void second_file_add(sycl::queue& queue, int* data, std::size_t count, int amount) {
  add_in_header(queue, data, count, amount);
}
void second_file_scale(sycl::queue& queue, int* data, std::size_t count, int factor) {
  scale_in_header(queue, data, count, factor);
}
void second_file_anonymous(sycl::queue& queue, int* data, std::size_t count) {
  queue.parallel_for<same_name>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 2000; }).wait();
  queue.parallel_for(sycl::range<1>(count), functor{data}).wait();
}
