/// A static object that is older than LLVM's library launches a kernel in its destructor. The runtime replaces the
/// library's entry for __cxa_atexit. The runtime finds the entry by the entry's relocation, whose type differs between
/// kinds of processors (jitd/service/llvm_statics.cpp). Without the replacement, LLVM's static objects would be
/// destroyed before the launch.

#include <unistd.h>

#include <cstdio>
#include <sycl/sycl.hpp>

namespace {

struct last_object {
  ~last_object() {
    bool right = false;
    try {
      sycl::queue queue;
      int* number = sycl::malloc_shared<int>(3, queue);
      queue.parallel_for(sycl::range<1>(3), [=](sycl::id<1> i) { number[i] = static_cast<int>(i) * 7 + 1; }).wait();
      right = number[0] == 1 && number[2] == 15;
    } catch (const sycl::exception& error) {
      std::printf("%s\n", error.what());
    }
    std::puts(right ? "ok: a kernel was compiled while the program ended" : "FAILED: no kernel at the program's end");
    std::fflush(stdout);
    if (!right) _exit(1);
  }
} last;

}  // namespace

int main() {
  sycl::queue queue;
  int* number = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { *number = 5; }).wait();
  return *number == 5 ? 0 : 1;
}
