// Which kernels may start as host code. Names end in what the image says: copy, loops, once or twice (how a * b + c is
// rounded), or nothing.
#include "mini_launch.hpp"

inline float squared(float x) { return x * x; }
inline int sided(int x) { return __sinter_on_device() ? x : -x; }
[[gnu::noinline]] inline int calls_sided(int x) { return sided(x) + 1; }
[[gnu::noinline]] inline int counts(int x) {
  int bits = 0;
  while (x > 0) bits += x & 1, x /= 2;
  return bits;
}
#ifdef __FMA__
#define ROUNDED(name) name##_copy_once
#else
#define ROUNDED(name) name##_copy_twice
#endif

void kernels(int* p, float* f, double* d, long* l) {
  launch<class plain_copy>([=](std::size_t i) { p[i] = p[i] / 3 + static_cast<int>(__sinter_global_range(2)); });
  launch<class quotient_copy>([=](std::size_t i) { f[i] = __builtin_sqrtf(f[i]) / 3.0f; });
  launch<class product_copy>([=](std::size_t i) { f[i] = squared(f[i]); });
  launch<class ROUNDED(sum)>([=](std::size_t i) { f[i] = f[i] * f[i] + 1.0f; });
  launch<class atomic_copy>([=](std::size_t) { __atomic_fetch_add(l, 1, __ATOMIC_RELAXED); });
  launch<class loop_copy_loops>([=](std::size_t i) { p[i] = counts(p[i]); });
  launch<class sine>([=](std::size_t i) { d[i] = __builtin_sin(d[i]); });
  launch<class least>([=](std::size_t i) { d[i] = __builtin_fmin(d[i], 1.0); });
  launch<class side>([=](std::size_t i) { p[i] = calls_sided(p[i]); });
  launch<class barrier>([=](std::size_t i) {
    __sinter_barrier(2, 2);
    p[i] = 1;
  });
  launch<class lanes>([=](std::size_t i) { p[i] = static_cast<int>(__sinter_sub_group_local_id()); });
  launch<class memory>([=](std::size_t) { *static_cast<int*>(__sinter_local_base()) = 1; });
  launch<class trap>([=](std::size_t i) {
    if (p[i] < 0) __sinter_trap("negative");
  });
  launch<class array>([=](std::size_t i) {
    volatile int much[40000];
    much[p[i]] = 1;
    p[i] = much[i];
  });
  launch<class fast>([=](std::size_t i) {
#pragma clang fp reassociate(on)
    f[i] = f[i] + f[i + 1] + f[i + 2];
  });
}
