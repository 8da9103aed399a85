// SINTER_SUB_GROUP_SIZE sets the sub-group size of kernels on the CPU that require no size. Kernels that require a
// size still get that size.
#include "check.hpp"

#include <cstdlib>

using namespace sycl;

TEST("kernels without a size have the one that is asked for") {
  CPU_ONLY;
  queue q = e2e::make_queue({property::queue::in_order()});
  const char* const asked = std::getenv("SINTER_SUB_GROUP_SIZE");
  const std::size_t usual = q.get_device().get_info<info::device::native_vector_width_int>();
  const std::size_t size = asked ? std::strtoul(asked, nullptr, 10) : usual;
  // The variable does not change the length of the machine's vectors.
  CHECK(usual == 4 || usual == 8 || usual == 16);
  constexpr std::size_t group = 72, groups = 5, count = group * groups;
  int* sums = malloc_shared<int>(count, q);
  int* neighbours = malloc_shared<int>(count, q);
  std::uint32_t* sizes = malloc_shared<std::uint32_t>(2, q);
  const nd_range<1> all(count, group);
  q.parallel_for<class of_default>(all, [=](nd_item<1> item) {
    const sub_group mine = item.get_sub_group();
    const int own = static_cast<int>(item.get_global_id(0)) * 3 + 1;
    sums[item.get_global_id(0)] = reduce_over_group(mine, own, plus<int>());
    neighbours[item.get_global_id(0)] = shift_group_left(mine, own, 1);
    if (item.get_global_id(0) == 0) sizes[0] = mine.get_max_local_range()[0];
  });
  q.parallel_for<class of_required>(all, [=](nd_item<1> item) [[sycl::reqd_sub_group_size(8)]] {
    if (item.get_global_id(0) == 0) sizes[1] = item.get_sub_group().get_max_local_range()[0];
  });
  q.wait();
  CHECK_EQUAL(sizes[0], size);
  CHECK_EQUAL(sizes[1], 8u);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t in_group = i % group, first = in_group / size * size, end = std::min(first + size, group);
    int sum = 0;
    for (std::size_t k = first; k < end; ++k) sum += static_cast<int>(i - in_group + k) * 3 + 1;
    CHECK_EQUAL(sums[i], sum);
    if (in_group + 1 < end) CHECK_EQUAL(neighbours[i], static_cast<int>(i + 1) * 3 + 1);
  }
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  const kernel plain = bundle.get_kernel(get_kernel_id<of_default>());
  CHECK_EQUAL(plain.get_info<info::kernel_device_specific::max_sub_group_size>(q.get_device()), size);
  free(sums, q);
  free(neighbours, q);
  free(sizes, q);
}

E2E_MAIN
