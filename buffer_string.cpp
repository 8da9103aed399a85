#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
std::vector<std::string> v(3); sycl::buffer<std::string> x(v);
}
