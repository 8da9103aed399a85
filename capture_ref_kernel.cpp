#include <memory>
#include <string>
#include <sycl/sycl.hpp>
int main() { sycl::queue q; sycl::buffer<int> b(4);
struct K { std::unique_ptr<int> p; void operator()() const {} }; q.single_task(K());
}
