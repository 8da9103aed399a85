#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
int* s = sycl::malloc_shared<int>(1, q); q.parallel_for(sycl::range<1>(4), sycl::reduction(s, sycl::plus<int>()), [=](sycl::id<1>) {});
}
