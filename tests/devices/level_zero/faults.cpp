/// Failures of Level Zero's drivers and of kernels must reach programs.
///
/// usage: level_zero_faults lost|double|half|atomic64|memory|kept|foreign|others. The argument selects the case, and
/// the exit code says whether it passed.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/sycl.hpp>

#include "../faults.hpp"

namespace {

using faults::check, faults::has, faults::words_of;

/// The kernel's fault is an asynchronous error, and later commands are refused. The process continues.
bool lost() {
  std::string seen;
  sycl::queue queue(faults::collect_words(seen));
  queue.single_task<class that_faults>([] {});
  queue.wait_and_throw();
  return check(has(seen, {"Judge over", "DEVICE_LOST"}), "a lost device");
}

/// The device lacks an aspect. A kernel that needs the aspect is refused by an error with the kernel's name, and other
/// kernels compute the same numbers.
template <class T, class Refused>
bool lacks(sycl::aspect aspect, std::initializer_list<const char*> wanted, const Refused& refused) {
  sycl::queue queue;
  bool right = check(!queue.get_device().has(aspect), "the aspect");
  auto* const number = sycl::malloc_shared<T>(1, queue);
  auto* const single = sycl::malloc_shared<float>(1, queue);
  *single = 1.5f;
  const std::string words = words_of(sycl::errc::kernel_not_supported, [&] { refused(queue, number); });
  right &= check(has(words, wanted), "a kernel that needs it");
  queue
      .single_task([=] {
        sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(*single) += 1.5f;
      })
      .wait();
  right &= check(*single == 3.0f, "a kernel that does not");
  sycl::free(number, queue);
  sycl::free(single, queue);
  return right;
}

/// Prints floats, which C promotes to double.
bool prints_floats() {
  sycl::queue queue;
  auto* const numbers = sycl::malloc_shared<float>(2, queue);
  numbers[0] = 1.5f, numbers[1] = 0.1f;
  std::FILE* const file = std::tmpfile();
  std::fflush(stdout);
  const int terminal = dup(1);
  dup2(fileno(file), 1);
  queue
      .single_task([=] {
        sycl::ext::oneapi::experimental::printf("%.2f and %.3e, %d, %g\n", numbers[0], numbers[1], 7, 2.25f);
      })
      .wait();
  std::fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  std::rewind(file);
  char line[100] = "";
  const bool is_there = std::fgets(line, sizeof(line), file) != nullptr;
  std::fclose(file);
  sycl::free(numbers, queue);
  return check(is_there && std::string_view(line) == "1.50 and 1.000e-01, 7, 2.25\n", line);
}

/// Uses mathematics of floats only.
bool computes_floats() {
  sycl::queue queue;
  auto* const x = sycl::malloc_shared<float>(1, queue);
  *x = 0.5f;
  queue
      .single_task<class with_float_functions>([=] {
        float sum = sycl::sin(*x) + sycl::tan(*x) + sycl::atan2(*x, 2.0f) + sycl::sinpi(*x) + sycl::exp(*x) +
                    sycl::expm1(*x) + sycl::log(*x) + sycl::log1p(*x) + sycl::pow(*x, 1.5f) + sycl::cbrt(*x) +
                    sycl::hypot(*x, 3.0f) + sycl::erf(*x) + sycl::tgamma(*x) + sycl::lgamma(*x) + sycl::tanh(*x) +
                    sycl::fmod(2.0f, *x) + sycl::remainder(2.0f, *x) + sycl::fma(*x, *x, *x) + sycl::rsqrt(*x) +
                    sycl::ldexp(*x, 3) + sycl::sqrt(*x) + sycl::round(*x) + sycl::smoothstep(0.0f, 1.0f, *x) +
                    sycl::dot(sycl::float2(*x), sycl::float2(*x)) + sycl::native::exp(*x) + sycl::pown(*x, 3) +
                    sycl::rootn(*x, 3) + sycl::length(sycl::float3(*x)) + sycl::normalize(sycl::float4(*x))[0];
        *x = sum;
      })
      .wait();
  const bool is_number = *x == *x;
  sycl::free(x, queue);
  return check(is_number, "functions of floats");
}

bool doubles() {
  bool right = prints_floats();
  right &= computes_floats();
  return lacks<double>(sycl::aspect::fp64, {"with_doubles", "Judge over", "fp64"},
                       [](sycl::queue& queue, double* number) {
                         queue.single_task<class with_doubles>([=] { *number *= 2; }).wait();
                       }) &&
         right;
}
bool halves() {
  return lacks<sycl::half>(sycl::aspect::fp16, {"with_halves", "Judge over", "fp16"},
                           [](sycl::queue& queue, sycl::half* number) {
                             queue.single_task<class with_halves>([=] { *number *= sycl::half(2); }).wait();
                           });
}
bool wide_atomics() {
  return lacks<std::uint64_t>(
      sycl::aspect::atomic64, {"with_wide_atomics", "Judge over", "atomic64"},
      [](sycl::queue& queue, std::uint64_t* number) {
        queue
            .single_task<class with_wide_atomics>([=] {
              sycl::atomic_ref<std::uint64_t, sycl::memory_order::relaxed, sycl::memory_scope::device>(*number) += 1;
            })
            .wait();
      });
}

/// Runs a kernel whose code is written to the cache or read from it.
void run_kept(sycl::queue& queue) {
  auto* const number = sycl::malloc_shared<int>(1, queue);
  *number = 20;
  queue.single_task<class is_kept>([=] { *number += 1; }).wait();
  const bool right = *number == 21;
  sycl::free(number, queue);
  if (!right) throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "the kernel gives another number");
}
bool kept() {
  sycl::queue queue;
  return run_kept(queue), true;
}
/// The driver does not accept the cached binary. The exception says what to do, and other kernels still run.
bool foreign() {
  sycl::queue queue;
  const std::string words = words_of(sycl::errc::runtime, [&] { run_kept(queue); });
  bool right = check(has(words, {"is_kept", "Judge over", "from the cache", "SINTER_CACHE_DIR", "SINTER_CACHE=0"}),
                     "a binary for another device");
  queue.single_task<class is_new>([] {}).wait();
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

/// Where Level Zero has no device for the program, the CPU still runs the program's kernels.
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
  const bool right = what == "lost"       ? lost()
                     : what == "double"   ? doubles()
                     : what == "half"     ? halves()
                     : what == "atomic64" ? wide_atomics()
                     : what == "memory"   ? memory()
                     : what == "kept"     ? kept()
                     : what == "foreign"  ? foreign()
                     : what == "others"   ? others()
                                          : false;
  std::printf("%s: %s\n", words[count - 1], right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::printf("unexpected: %s\n", error.what()), 1;
}
