#pragma once
/// Common parts of all end-to-end programs: checks, random inputs, sizes worth testing, and the last line of output.
///
/// A program includes this file, writes `TEST(name) { ... }` blocks, and ends with E2E_MAIN. The last line of the
/// program's output says where its kernels' code came from: the host, the JIT or the cache. The program fails if a
/// kernel ran through its host entry. In library mode (macro SINTER_E2E_LIBRARY_MODE), all kernels have to run
/// through their host entries.

#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace e2e {

struct test {
  const char* name;
  void (*run)();
  test* next = nullptr;
};

struct state {
  test* first = nullptr;
  test** last = &first;
  int failures = 0;
};
inline state& the_state() {
  static state one;
  return one;
}

struct registration {
  test entry;
  registration(const char* name, void (*run)()) : entry{name, run} {
    *the_state().last = &entry;
    the_state().last = &entry.next;
  }
};

/// Reports a failure. Only the first few failures of a program are printed.
inline void fail(const char* file, int line, const std::string& what) {
  if (++the_state().failures <= 20) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

template <class Left, class Right>
void check_equal(const Left& left, const Right& right, const char* text, const char* file, int line) {
  if (left == right) return;
  std::string what = std::string("not equal: ") + text;
  if constexpr (std::is_arithmetic_v<Left> && std::is_arithmetic_v<Right>) {
    what += " (" + std::to_string(left) + " and " + std::to_string(right) + ")";
  }
  fail(file, line, what);
}

/// Compares two sequences element by element and reports the first difference.
template <class Left, class Right>
void check_all_equal(const Left& left, const Right& right, const char* text, const char* file, int line) {
  if (std::size(left) != std::size(right)) return fail(file, line, std::string("different sizes: ") + text);
  for (std::size_t i = 0; i < std::size(left); ++i) {
    if (!(left[i] == right[i])) {
      std::string what =
          std::string(text) + " differ at " + std::to_string(i) + " of " + std::to_string(std::size(left));
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(left[i])>>) {
        what += ": " + std::to_string(left[i]) + " and " + std::to_string(right[i]);
      }
      return fail(file, line, what);
    }
  }
}

/// Sizes for tests: extreme sizes like 0 and 1, multiples of a vector's width, and sizes that are no such multiples.
inline const std::vector<std::size_t>& sizes() {
  static const std::vector<std::size_t> list = {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 100, 255, 1000, 4099};
  return list;
}

inline std::mt19937& random() {
  static std::mt19937 engine(20220422);
  return engine;
}

template <class Value>
std::vector<Value> random_values(std::size_t count, double least = -100, double most = 100) {
  std::vector<Value> values(count);
  if (std::is_unsigned_v<Value> && least < 0) least = 0;
  std::uniform_real_distribution<double> real(least, most);
  for (Value& value : values) value = static_cast<Value>(real(random()));
  return values;
}

/// The device that the tests use. Errors of the runtime count as failures.
inline sycl::queue make_queue(sycl::property_list properties = {}) {
  return sycl::queue(
      sycl::default_selector_v,
      [](sycl::exception_list list) {
        for (const std::exception_ptr& error : list) {
          try {
            std::rethrow_exception(error);
          } catch (const std::exception& e) {
            fail("asynchronous", 0, e.what());
          }
        }
      },
      properties);
}

inline int run_all() {
  for (test* one = the_state().first; one; one = one->next) {
    const int before = the_state().failures;
    try {
      one->run();
    } catch (const std::exception& error) {
      fail(one->name, 0, std::string("unexpected exception: ") + error.what());
    }
    std::printf("%s: %s\n", the_state().failures == before ? "ok" : "FAILED", one->name);
    std::fflush(stdout);  // if the next test hangs, this line is visible
  }
  const auto counters = sycl::ext::sinter::launch_counters();
#ifdef SINTER_E2E_LIBRARY_MODE
  if (counters.jit + counters.cache != 0) fail("library mode", 0, "a kernel was compiled at run time");
#else
  if (counters.host_entry != 0) fail("tiers", 0, "a kernel ran through its host entry");
#endif
  std::printf("tiers: host_entry=%llu jit=%llu cache=%llu\n", static_cast<unsigned long long>(counters.host_entry),
              static_cast<unsigned long long>(counters.jit), static_cast<unsigned long long>(counters.cache));
  return the_state().failures == 0 ? 0 : 1;
}

/// The CUDA and HIP drivers start work-groups together, and accept a kernel's arguments only by value.
inline bool is_cuda_or_hip(sycl::backend which) {
  return which == sycl::backend::ext_oneapi_cuda || which == sycl::backend::ext_oneapi_hip;
}
/// Whether the device accepts this many bytes of arguments.
inline bool takes_arguments(const sycl::queue& queue, std::size_t bytes) {
  return queue.get_device().get_info<sycl::info::device::max_parameter_size>() >= bytes;
}

} // namespace e2e

#define E2E_JOIN_(a, b) a##b
#define E2E_JOIN(a, b) E2E_JOIN_(a, b)

/// Defines a test. The name is a sentence.
#define TEST(sentence)                                                                                     \
  static void E2E_JOIN(e2e_test_, __LINE__)();                                                             \
  static e2e::registration E2E_JOIN(e2e_registration_, __LINE__)(sentence, E2E_JOIN(e2e_test_, __LINE__)); \
  static void E2E_JOIN(e2e_test_, __LINE__)()

#define CHECK(condition) ((condition) ? void() : e2e::fail(__FILE__, __LINE__, "not true: " #condition))
#define CHECK_EQUAL(left, right) e2e::check_equal(left, right, #left ", " #right, __FILE__, __LINE__)
#define CHECK_ALL_EQUAL(left, right) e2e::check_all_equal(left, right, #left ", " #right, __FILE__, __LINE__)

/// Skips the test on all devices except the CPU, because these devices lack the feature or support it in another form.
#define CPU_ONLY \
  if (e2e::make_queue().get_device().get_backend() != sycl::backend::sinter_cpu) return

/// Skips the test on devices of the CUDA and HIP drivers.
#define NOT_ON_CUDA_OR_HIP \
  if (e2e::is_cuda_or_hip(e2e::make_queue().get_device().get_backend())) return

#define E2E_MAIN \
  int main() { return e2e::run_all(); }
