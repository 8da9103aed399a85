// Tests which kernels may start as host code. Names end in the image's flags: copy, loops, once (a * b + c is rounded
// once, by the host's FMA), or nothing.
#include "mini_launch.hpp"

inline float squared(float x) { return x * x; }
[[gnu::noinline]] inline float squared_and(float x, float y) { return x * x + y; }
inline int sided(int x) { return __sinter_on_device() ? x : -x; }
[[gnu::noinline]] inline int calls_sided(int x) { return sided(x) + 1; }
[[gnu::noinline]] inline int counts(int x) {
  int bits = 0;
  while (x > 0) bits += x & 1, x /= 2;
  return bits;
}
inline float next_square(float x) { return x * x + 1.0f; }
inline float apply(float (*function)(float), float x) { return function(x); }
using four = float __attribute__((ext_vector_type(4)));
#ifdef __FMA__
#define ADDS(name) name##_copy_once
#define ADDS_VECTORS(name) name##_copy_once  // vectors, and calls by pointer
#else
#define ADDS(name) name##_copy
#define ADDS_VECTORS(name) name
#endif

float of_the_host(float x) { return squared_and(x, 2.0f); }

void kernels(int* p, float* f, double* d, long* l, four* v, _Float16* h) {
  launch<class plain_copy>([=](std::size_t i) { p[i] = p[i] / 3 + static_cast<int>(__sinter_global_range(2)); });
  launch<class quotient_copy>([=](std::size_t i) { f[i] = __builtin_sqrtf(f[i]) / 3.0f; });
  launch<class product_copy>([=](std::size_t i) { f[i] = squared(f[i]); });
  launch<class ADDS(sum)>([=](std::size_t i) { f[i] = d[i] * d[i] + f[i] > 1.0 ? squared_and(f[i], 1.0f) : 3.0f; });
  launch<class ADDS_VECTORS(sums)>([=](std::size_t i) { v[i] = v[i] * v[i] + v[i]; });
  launch<class ADDS_VECTORS(pointer)>([=](std::size_t i) { f[i] = apply(next_square, f[i]); });
  launch<class ADDS(narrow_sum)>([=](std::size_t i) { h[i] = h[i] * h[i] + h[i]; });
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
