#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
short s = 0; sycl::atomic_ref<short, sycl::memory_order::relaxed, sycl::memory_scope::device> r(s);
}
