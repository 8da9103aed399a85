#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
q.submit([&](sycl::handler& h) { sycl::local_accessor<int, 1> a(h, sycl::range<1>(4)); });
}
