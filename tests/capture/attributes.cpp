// Attributes for required sizes and aspects, in every position where the grammar allows an attribute. A kernel's name
// lists the requirements that its image must have: work-group sizes, sub-group size and aspects.
#include "mini_launch.hpp"

template <int Size>
struct functor {
  int* p;
  [[sycl::reqd_work_group_size(Size, 2)]] void operator()(std::size_t i) const { p[i] = Size; }
};

enum class aspect : unsigned { cpu = 1, gpu, far = 200 };

template <aspect... Aspects>
struct needy_functor {
  int* p;
  [[sycl::device_has(Aspects...)]] void operator()(std::size_t i) const { p[i] = 1; }
};

/// The headers wrap some function objects. The plugin reads the attributes of the object that the wrapper names by
/// sinter_user_function.
template <class Function>
struct wrapper {
  using sinter_user_function = Function;
  Function function;
  void operator()(std::size_t i) const { function(i); }
};

template <class Function>
struct other_groups {
  using sinter_inner_function = Function;
  Function function;
  [[sycl::reqd_sub_group_size(8)]] void operator()(std::size_t i) const { function(i); }
};

struct all_of_it {
  int* p;
  [[sycl::device_has(aspect::cpu)]] [[sycl::reqd_work_group_size(3)]] void operator()(std::size_t i) const { p[i] = 1; }
};

/// Users may have functions and types with the names of attributes.
inline int device_has(int x) { return x + 1; }
struct reqd_sub_group_size {
  int value;
  explicit reqd_sub_group_size(int x, int y) : value(x + y) {}
  int work_group_size_hint(int x, int y) const { return x * y + value; }
};
#define WITH_SUB_GROUPS_OF(size) [[intel::reqd_sub_group_size(size)]]

// clang 19 crashes over several attributes of a lambda in a template (docs/llvm_versions.md).
#if __clang_major__ >= 22
template <int Size, aspect Aspect>
void kernels_of_a_template(int* p) {
  launch<class s1_1_7_4_a2>([=](std::size_t i)
                                [[sycl::reqd_work_group_size(Size)]] [[sycl::reqd_sub_group_size(Size - 3)]]
                                [[sycl::device_has(Aspect)]] { p[i] = 1; });
}
template void kernels_of_a_template<7, aspect::gpu>(int*);
#endif

void kernels(int* p) {
  launch<class s1_4_16_8, 2>([=](std::size_t i) [[sycl::reqd_work_group_size(4, 16)]] [[sycl::reqd_sub_group_size(8)]] { p[i] = 1; });
  launch<class s2_3_4_0, 3>([=](std::size_t i) [[sycl::reqd_work_group_size(1 + 1, 3, 4)]] { p[i] = 1; });
  launch<class s1_5_2_0, 2>(functor<5>{p});
  launch<class s0_0_0_0>([=](std::size_t i) [[sycl::work_group_size_hint(7)]] { p[i] = 1; });
  launch<class s0_0_0_0_a1_a2>([=](std::size_t i) [[sycl::device_has(aspect::gpu, aspect::cpu)]] { p[i] = 1; });
  launch<class s0_0_0_0_a1_a127>(needy_functor<aspect::cpu, aspect::far>{p});
  launch<class s1_1_3_0_a1>(wrapper<wrapper<all_of_it>>{{{p}}});
  launch<class s0_0_0_32>([=](std::size_t i) [[intel::reqd_sub_group_size(32)]] { p[i] = device_has(p[i]); });
  launch<class s0_0_0_16>([=](std::size_t i) [[cl::intel_reqd_sub_group_size(16)]] { p[i] = 1; });
  launch<class s1_2_8_4, 2>([=](std::size_t i) [[using sycl: reqd_work_group_size(2, 8), reqd_sub_group_size(4)]] { p[i] = 1; });
  launch<class s1_1_64_8>([=](std::size_t i) [[cl::reqd_work_group_size(64)]] WITH_SUB_GROUPS_OF(8) {
    p[i] = reqd_sub_group_size(p[i], 2).work_group_size_hint(1, 2);
  });
  launch<class s1_1_3_8_a1>(other_groups<all_of_it>{{p}});
}
