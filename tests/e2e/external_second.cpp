#include "external.hpp"

#include <cmath>

SYCL_EXTERNAL int triple(int value) { return 3 * value; }
SYCL_EXTERNAL void fill_row(float* row, std::size_t count, sycl::id<1> at) {
  for (std::size_t i = 0; i < count; ++i) row[i] = std::sqrt(static_cast<float>(at[0] * count + i));
}

SYCL_EXTERNAL int reverse_in_group(sycl::nd_item<1> item, int* local, int value) {
  const std::size_t i = item.get_local_id(0), last = item.get_local_range(0) - 1;
  local[i] = value;
  sycl::group_barrier(item.get_group());
  const int result = local[last - i];
  sycl::group_barrier(item.get_group());
  return result;
}

SYCL_EXTERNAL int sum_of_group(sycl::nd_item<1> item, int value) {
  return sycl::reduce_over_group(item.get_group(), value, sycl::plus<>());
}

SYCL_EXTERNAL int next_in_sub_group(sycl::nd_item<1> item, int value) {
  const sycl::sub_group group = item.get_sub_group();
  return sycl::select_from_group(group, value, (group.get_local_linear_id() + 1) % group.get_local_linear_range());
}

SYCL_EXTERNAL std::size_t place_in_grid() { return sycl::khr::this_nd_item<1>().get_global_id(0); }

// external.cpp has a variable of this name, too.
static int offset = 1000;

SYCL_EXTERNAL int count_calls(int amount) { return host_side_number(amount) + offset; }
