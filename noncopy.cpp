#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
auto p = std::make_unique<int>(1); q.single_task([p = std::move(p)] { (void)*p; });
}
