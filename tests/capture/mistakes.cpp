// Attributes that SYCL 2020 5.8 forbids. The comment after "says:" is a part of the plugin's warning about the line.
#include "mini_launch.hpp"

namespace sycl {
enum class aspect : unsigned { cpu = 1, gpu = 2, fp64 = 6 };
}
using sycl::aspect;

[[sycl::reqd_work_group_size(4)]] [[sycl::reqd_work_group_size(8)]] inline int twice(int x) { return x; }  // says: already there with other arguments: (4), here (8)
[[sycl::reqd_work_group_size(4)]] [[sycl::reqd_work_group_size(4)]] inline int alike(int x) { return x; }
[[sycl::reqd_sub_group_size(8)]] int declared(int x);
[[sycl::reqd_sub_group_size(16)]] int declared(int x) { return x; }  // says: 'reqd_sub_group_size' is already there with other arguments: (8), here (16)
[[sycl::device_has(aspect::cpu)]] int declared_alike(int x);
[[sycl::device_has(aspect::cpu)]] int declared_alike(int x) { return x; }
[[sycl::device_has(aspect::cpu)]] int repeats_nothing(int x);
int repeats_nothing(int x) { return x; }
int late(int x);
[[sycl::device_has(aspect::cpu)]] int late(int x) { return x; }  // says: has to stand at the first declaration
[[sycl::reqd_work_group_size()]] inline int none(int x) { return x; }            // says: takes one to three constants
[[sycl::reqd_work_group_size(1, 2, 3, 4)]] inline int four(int x) { return x; }  // says: takes one to three constants
[[sycl::reqd_work_group_size(4, 0)]] inline int zero(int x) { return x; }        // says: larger than 0
[[sycl::reqd_sub_group_size(-8)]] inline int negative(int x) { return x; }       // says: takes one constant that is larger than 0
[[sycl::reqd_sub_group_size(8, 8)]] inline int two(int x) { return x; }          // says: takes one constant
[[sycl::work_group_size_hint(0)]] inline int hinted(int x) { return x; }         // says: 'work_group_size_hint' takes one to three
[[sycl::device_has(7)]] inline int no_aspect(int x) { return x; }                // says: takes constants of enum sycl::aspect
template <int Size>
[[sycl::reqd_sub_group_size(Size)]] [[sycl::reqd_sub_group_size(8)]] int of_template(int x) { return x; }  // says: already there with other arguments: (16), here (8)
[[sycl::device_has(aspect::cpu)]] int variable = 1;  // says: 'device_has' has no effect here: it belongs to functions
struct [[sycl::reqd_sub_group_size(8)]] type {};      // says: 'reqd_sub_group_size' has no effect here: it belongs to functions
using alias [[__sycl_detail__::__uses_aspects__(aspect::fp64)]] = int;  // says: 'uses_aspects' has no effect here: it belongs to functions and classes

struct functor {
  int* p;
  [[sycl::reqd_work_group_size(4)]] void operator()(std::size_t i) const;
};
[[sycl::reqd_work_group_size(8)]] inline void functor::operator()(std::size_t i) const { p[i] = 1; }  // says: (4), here (8)

/// Imitates the headers' wrapper around function objects that are launched with properties.
template <class Function>
struct with_property {
  using sinter_user_function = Function;
  Function function;
  [[sycl::reqd_work_group_size(4)]] [[sycl::reqd_sub_group_size(4)]] void sinter_attributes() const;
  void operator()(std::size_t i) const { function(i); }
};
struct same_size {
  int* p;
  [[sycl::reqd_work_group_size(4)]] void operator()(std::size_t i) const { p[i] = 1; }
};
struct other_size {
  int* p;
  [[sycl::reqd_work_group_size(16)]] void operator()(std::size_t i) const { p[i] = 1; }  // says: 'reqd_work_group_size' has other arguments than the property of its kernel
};

template <class T>
void in_template(int* p) {
  launch<class of_dependent>([=](std::size_t i) [[sycl::reqd_sub_group_size(sizeof(T))]] [[sycl::reqd_sub_group_size(16)]] { p[i] = 1; });  // says: (4), here (16)
}

void kernels(int* p) {
  launch<class calls>([=](std::size_t i) {
    p[i] = declared_alike(2) + repeats_nothing(3) + late(4);
  });
  launch<class calls_declared>([=](std::size_t i) { p[i] = declared(1); });
  launch<class calls_8>([=](std::size_t i) { p[i] = of_template<8>(5); });
  launch<class calls_16>([=](std::size_t i) { p[i] = of_template<16>(6); });
  launch<class of_functor>(functor{p});
  launch<class of_same>(with_property<same_size>{{p}});
  launch<class of_other>(with_property<other_size>{{p}});
  launch<class of_lambda>([=](std::size_t i) [[sycl::reqd_work_group_size(2)]] [[sycl::reqd_work_group_size(16)]] { p[i] = 1; });  // says: (2), here (16)
  launch<class of_both>([=] [[sycl::reqd_sub_group_size(4)]] (std::size_t i) [[sycl::reqd_sub_group_size(8)]] { p[i] = 1; });  // says: (4), here (8)
  launch<class one_dimension, 1>([=](std::size_t i) [[sycl::reqd_work_group_size(2, 4)]] { p[i] = 1; });  // says: kernel 'one_dimension' has required work-group size '2,4', and is launched with 1 dimension
  launch<class three_dimensions, 3>([=](std::size_t i) [[sycl::reqd_work_group_size(8)]] { p[i] = 1; });  // says: work-group size '8', and is launched with 3 dimensions
  launch<class right, 2>([=](std::size_t i) [[sycl::reqd_work_group_size(2, 4)]] { p[i] = 1; });
  in_template<int>(p);
}
