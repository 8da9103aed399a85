#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
q.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) { sycl::reduce_over_group(i.get_group(), 1); });
}
