// Kernels with constructs for the host's compiler: assembly, functions of several versions, code that only the host or
// only the device has.
#include "check.hpp"

#include <memory>

using namespace sycl;

namespace {

int* iota(queue& q, int count) {
  int* values = malloc_shared<int>(static_cast<std::size_t>(count), q);
  for (int i = 0; i < count; ++i) values[i] = i;
  return values;
}

__attribute__((target_clones("avx2", "default"))) int tripled(int x) { return 3 * x; }

struct registry {
  int copies = 0;
};
thread_local std::unique_ptr<registry> current;

/// Counts its copies on the host. Accessors of some libraries record a kernel's arguments in this way.
struct handle {
  int* data = nullptr;
  explicit handle(int* p) : data(p) {}
  handle(const handle& other) : data(other.data) {
    SINTER_IF_HOST(if (current) ++current->copies;)
  }
};
int doubled(handle h, std::size_t i) { return 2 * h.data[i]; }

int side() {
  if (!ext::sinter::on_device()) return current ? 1 : 0;
  return 2;
}

} // namespace

template <>
struct sycl::is_device_copyable<handle> : std::true_type {};

TEST("kernels may contain assembly") {
  CPU_ONLY;
  queue q = e2e::make_queue();
  for (int count : {1, 17, 100}) {
    int* values = iota(q, count);
    q.parallel_for(range<1>(static_cast<std::size_t>(count)), [=](id<1> i) {
       int sum = values[i];
#if defined(__x86_64__)
       asm volatile("pause");
       unsigned a, b, c, d;
       asm("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
       asm("addl %1, %0" : "+r"(sum) : "r"(static_cast<int>(i[0])) : "cc");
#elif defined(__aarch64__)
       asm volatile("yield");
       unsigned long a;
       asm("mrs %0, cntfrq_el0" : "=r"(a));
       asm("add %w0, %w0, %w1" : "+r"(sum) : "r"(static_cast<int>(i[0])));
#endif
       values[i] = a != 0 ? sum : -1;
     }).wait();
    for (int i = 0; i < count; ++i) CHECK(values[i] == 2 * i);
    free(values, q);
  }
}

TEST("kernels may call functions with versions for several processors") {
  CPU_ONLY;
  queue q = e2e::make_queue();
  int* values = iota(q, 100);
  q.parallel_for(range<1>(100), [=](id<1> i) { values[i] = tripled(values[i]); }).wait();
  for (int i = 0; i < 100; ++i) CHECK(values[i] == 3 * i);
  free(values, q);
}

TEST("what is for the host only is not in kernels") {
  current = std::make_unique<registry>();
  queue q = e2e::make_queue();
  int* values = iota(q, 100);
  const handle h(values);
  q.parallel_for(range<1>(100), [=](id<1> i) { h.data[i] = doubled(h, i); }).wait();
  for (int i = 0; i < 100; ++i) CHECK(values[i] == 2 * i);
  CHECK(current->copies >= 1);
#ifndef SINTER_E2E_LIBRARY_MODE
  CHECK(current->copies < 10);  // work-items do not copy the object
#endif
  q.parallel_for(range<1>(100), [=](id<1> i) {
     values[i] = side();
     __acpp_if_target_device(values[i] += 10;)
     __acpp_if_target_host(values[i] += 100;)
     __sinter_if_target_device(values[i] += 1000;)
     __sinter_if_target_host(const int before = values[i]; values[i] = before + 10000;)
   }).wait();
#ifndef SINTER_E2E_LIBRARY_MODE
  for (int i = 0; i < 100; ++i) CHECK(values[i] == 1012);
#else
  for (int i = 0; i < 100; ++i) CHECK(values[i] == 10101 || values[i] == 10100);  // a thread may have no `current`
#endif
  CHECK(side() == 1);
  free(values, q);
}

E2E_MAIN
