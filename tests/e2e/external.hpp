#pragma once
// Declares the functions of external_second.cpp.
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int triple(int value);
SYCL_EXTERNAL void fill_row(float* row, std::size_t count, sycl::id<1> at);

// Functions that only kernels can call.
SYCL_EXTERNAL int reverse_in_group(sycl::nd_item<1> item, int* local, int value);
SYCL_EXTERNAL int sum_of_group(sycl::nd_item<1> item, int value);
SYCL_EXTERNAL int next_in_sub_group(sycl::nd_item<1> item, int value);
SYCL_EXTERNAL std::size_t place_in_grid();
SYCL_EXTERNAL int count_calls(int amount);

// Defined in external.cpp, and called by count_calls.
SYCL_EXTERNAL int host_side_number(int amount);
