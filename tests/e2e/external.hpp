#pragma once
// Functions of external_second.cpp.
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int triple(int value);
SYCL_EXTERNAL void fill_row(float* row, std::size_t count, sycl::id<1> at);
