// Required sizes in every position an attribute can have. Names: what the image must say, work-group sizes then sub-group.
#include "mini_launch.hpp"

template <int Size>
struct functor {
  int* p;
  [[sycl::reqd_work_group_size(Size, 2)]] void operator()(std::size_t i) const { p[i] = Size; }
};

void kernels(int* p) {
  launch<class s1_4_16_8>([=](std::size_t i) [[sycl::reqd_work_group_size(4, 16)]] [[sycl::reqd_sub_group_size(8)]] { p[i] = 1; });
  launch<class s2_3_4_0>([=](std::size_t i) [[sycl::reqd_work_group_size(1 + 1, 3, 4)]] { p[i] = 1; });
  launch<class s1_5_2_0>(functor<5>{p});
  launch<class s0_0_0_0>([=](std::size_t i) [[sycl::work_group_size_hint(7)]] { p[i] = 1; });
}
