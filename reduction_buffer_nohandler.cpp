#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
sycl::buffer<int> s(1); q.parallel_for(sycl::range<1>(4), sycl::reduction(s, sycl::plus<int>()), [=](sycl::id<1>, auto&) {});
}
