#include "external_shared.hpp"

// The program has a function of this name, too.
static int helper(int value) { return value + 7; }

SYCL_EXTERNAL int library_square(int value) { return helper(value * value); }

SYCL_EXTERNAL int library_shift(sycl::nd_item<1> item, int* local, int value) {
  const std::size_t i = item.get_local_id(0);
  local[i] = value;
  sycl::group_barrier(item.get_group());
  return local[(i + 1) % item.get_local_range(0)];
}

SYCL_EXTERNAL int library_asks_program(int value) { return program_number(value) + 5 * value; }

void library_run(sycl::queue& queue, int* data, int* both, std::size_t count) {
  queue
      .parallel_for(sycl::nd_range<1>(count, 1),
                    [=](sycl::nd_item<1> item) {
                      const auto i = static_cast<int>(item.get_global_id(0));
                      data[i] = program_number(i) + program_place();
                      both[i] = library_asks_program(i);
                    })
      .wait();
}
