#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
q.parallel_for(sycl::range<1>(4), [=](sycl::id<2>) {});
}
