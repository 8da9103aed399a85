/// How failures of Level Zero's drivers and of kernels reach programs.
///
/// level_zero_faults lost|double|memory|others: what is tried; the exit code says whether it went well

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include <sycl/sycl.hpp>

#include "../faults.hpp"

namespace {

using faults::check, faults::has, faults::words_of;

/// The kernel's fault is an asynchronous error, and later commands are refused. The process goes on.
bool lost() {
  std::string seen;
  sycl::queue queue(faults::collect_words(seen));
  queue.single_task<class that_faults>([] {});
  queue.wait_and_throw();
  return check(has(seen, {"Judge over", "DEVICE_LOST"}), "a lost device");
}

/// The device lacks the aspect, and its kernels with doubles are refused by name; those without run.
bool doubles() {
  sycl::queue queue;
  bool right = check(!queue.get_device().has(sycl::aspect::fp64), "the aspect");
  auto* const number = sycl::malloc_shared<double>(1, queue);
  auto* const single = sycl::malloc_shared<float>(1, queue);
  *number = *single = 1.5f;
  const std::string words = words_of(sycl::errc::kernel_not_supported, [&] {
    queue.single_task<class with_doubles>([=] { *number *= 2; }).wait();
  });
  right &= check(has(words, {"with_doubles", "Judge over", "fp64"}), "a kernel with doubles");
  queue.single_task<class with_floats>([=] { *single *= 2; }).wait();
  right &= check(*single == 3.0f, "a kernel with floats");
  sycl::free(number, queue);
  sycl::free(single, queue);
  return right;
}

bool memory() {
  sycl::queue queue;
  const std::size_t all = queue.get_device().get_info<sycl::info::device::global_mem_size>();
  bool right = check(sycl::malloc_device(2 * all, queue) == nullptr, "device memory beyond what there is");
  right &= check(sycl::malloc_shared(2 * all, queue) == nullptr, "shared memory beyond what there is");
  void* const some = sycl::malloc_device(all / 2, queue);
  right &= check(some != nullptr, "half of the memory");
  const std::string words = words_of(sycl::errc::memory_allocation, [&] {
    sycl::buffer<char> buffer{sycl::range<1>(all)};
    queue.submit([&](sycl::handler& group) {
      sycl::accessor to(buffer, group, sycl::write_only, sycl::no_init);
      group.single_task<class needs_all>([=] { to[0] = 1; });
    });
    queue.wait_and_throw();
  });
  right &= check(has(words, {"Judge over"}), "a buffer larger than what is left");
  sycl::free(some, queue);
  return right;
}

/// Where Level Zero has no device for the program, the CPU still runs its kernels.
bool others() {
  bool right = true;
  for (const sycl::device& each : sycl::device::get_devices()) {
    right &= check(each.get_backend() != sycl::backend::ext_oneapi_level_zero, "no device of Level Zero's");
  }
  sycl::queue queue{sycl::cpu_selector_v};
  int result = 0;
  {
    sycl::buffer<int> buffer(&result, sycl::range<1>(1));
    queue.submit([&](sycl::handler& group) {
      sycl::accessor to(buffer, group);
      group.single_task<class on_the_cpu>([=] { to[0] = 7; });
    });
  }
  return right & check(result == 7, "a kernel on the CPU");
}

}  // namespace

int main(int count, char** words) try {
  const std::string_view what = count == 2 ? words[1] : "";
  const bool right = what == "lost"     ? lost()
                     : what == "double" ? doubles()
                     : what == "memory" ? memory()
                     : what == "others" ? others()
                                        : false;
  std::printf("%s: %s\n", words[count - 1], right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::printf("unexpected: %s\n", error.what()), 1;
}
