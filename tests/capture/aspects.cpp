// Aspects that kernels use through calls, types and members, and uses that the function's device_has does not list. A
// kernel's name ends in the numbers of the aspects that the image must require. The comment "warns:" lists the aspects
// that the plugin's warnings about the function in this line must name.
#include "mini_launch.hpp"

namespace sycl {
enum class aspect : unsigned { cpu = 1, gpu = 2, fp16 = 5, fp64 = 6, image = 9, atomic64 = 28, emulated = 40 };
}
using sycl::aspect;

class [[__sycl_detail__::__uses_aspects__(aspect::image)]] picture {
public:
  int texel;
};
struct album {
  picture pages[2];
};
struct derived : album {};

template <class T, unsigned Size = sizeof(T)>
struct cell {
  T value;
};
template <class T>
struct [[__sycl_detail__::__uses_aspects__(aspect::atomic64, aspect::emulated)]] cell<T, 8> {
  T value;
};

[[__sycl_detail__::__uses_aspects__(aspect::gpu)]] int special(int x) { return x + 1; }
inline int doubled(int x) { return static_cast<int>(x * 0.1); }
inline int calls_doubled(int x) { return doubled(x) + 1; }
[[sycl::device_has(aspect::fp64)]] inline int promises(int x) { return x; }
template <aspect... Aspects>
[[sycl::device_has(Aspects...)]] int promises_some(int x) { return x; }
[[sycl::device_has(aspect::cpu)]] inline int breaks_promise(int x) { return calls_doubled(x); }  // warns: fp64
inline int of_reference(const album& pages) { return pages.pages[1].texel; }

template <class T>
int discards(int x) {
  if constexpr (sizeof(T) == 8) {
    picture p{x};
    return p.texel;
  } else {
    return x;
  }
}
inline int dead(int x) {
  if (x > 0 && x < 0) return picture{x}.texel;
  return x;
}

struct member {
  int* p;
  album* pages;
  void operator()(std::size_t i) const { p[i] = pages->pages[0].texel; }
};


[[sycl::reqd_sub_group_size(8)]] inline int sized(int x) { return x; }
[[intel::reqd_sub_group_size(16)]] inline int calls_sized(int x) { return sized(x); }

void sizes(int* p) {
  launch<class inherits_8>([=](std::size_t i) { p[i] = sized(p[i]); });
  launch<class has_8>([=](std::size_t i) [[sycl::reqd_sub_group_size(8)]] { p[i] = sized(p[i]); });
  launch<class has_4>([=](std::size_t i) [[sycl::reqd_sub_group_size(4)]] { p[i] = sized(p[i]); });  // size: has_4 sized 8
  launch<class nearest_16>([=](std::size_t i) { p[i] = calls_sized(p[i]); });
}

[[sycl::reqd_work_group_size(2, 4)]] inline int in_groups(int x) { return x; }
struct has_groups {
  int* p;
  [[sycl::reqd_work_group_size(2, 4)]] void operator()(std::size_t i) const { p[i] = in_groups(p[i]); }
};
void groups(int* p) {
  launch<class without_groups>([=](std::size_t i) { p[i] = in_groups(p[i]); });
  launch<class other_groups>([=](std::size_t i) [[sycl::reqd_work_group_size(8)]] { p[i] = in_groups(p[i]); });
  launch<class same_groups, 2>(has_groups{p});
}
__attribute__((annotate("sinter.external"))) [[sycl::reqd_work_group_size(4)]] int grouped(int x) { return x; }

void kernels(int* p, float* f, double* d, long* l) {
  launch<class nothing>([=](std::size_t i) { p[i] = static_cast<int>(f[i] * 2.0f) + static_cast<int>(sizeof(double)); });
  launch<class number_6>([=](std::size_t i) { p[i] = static_cast<int>(d[i]); });
  launch<class called_6>([=](std::size_t i) { p[i] = calls_doubled(p[i]); });
  launch<class half_5>([=](std::size_t i) { f[i] = static_cast<float>(static_cast<_Float16>(f[i])); });
  launch<class atomic_28>([=](std::size_t i) { __atomic_fetch_add(l + i, 1, __ATOMIC_RELAXED); });
  launch<class narrow_atomic>([=](std::size_t i) { __atomic_fetch_add(p + i, 1, __ATOMIC_RELAXED); });
  launch<class function_2>([=](std::size_t i) { p[i] = special(p[i]); });
  launch<class type_9>([=](std::size_t i) { picture x{p[i]}; p[i] = x.texel; });
  launch<class base_9>([=](std::size_t i) { derived x{}; p[i] = x.pages[0].texel; });
  launch<class reference_9>([=](std::size_t i) { p[i] = of_reference(*reinterpret_cast<album*>(p)); });
  launch<class cast_9>([=](std::size_t i) { p[i] = reinterpret_cast<picture*>(p)->texel; });
  launch<class member_9>(member{p, nullptr});
  launch<class dead_9>([=](std::size_t i) { p[i] = dead(p[i]); });
  launch<class partial_28_40>([=](std::size_t i) { cell<long> x{1}; p[i] = static_cast<int>(x.value); });
  launch<class partial_4>([=](std::size_t i) { cell<int> x{1}; p[i] = x.value; });
  launch<class discarded>([=](std::size_t i) { p[i] = discards<int>(p[i]); });
  launch<class not_discarded_9>([=](std::size_t i) { p[i] = discards<long>(p[i]); });
  launch<class promised_6>([=](std::size_t i) { p[i] = promises(p[i]); });
  launch<class dependent_2_9>([=](std::size_t i) { p[i] = promises_some<aspect::gpu, aspect::image>(p[i]); });
  launch<class lists_1_6>([=](std::size_t i) [[sycl::device_has(aspect::cpu, aspect::fp64)]] { p[i] = breaks_promise(p[i]); });
  launch<class lacks_1_6>([=](std::size_t i) [[sycl::device_has(aspect::cpu)]] { p[i] = calls_doubled(p[i]); });  // warns: fp64
  launch<class empty_6_9>([=](std::size_t i) [[sycl::device_has()]] { p[i] = promises(dead(p[i])); });  // warns: fp64 image
}
