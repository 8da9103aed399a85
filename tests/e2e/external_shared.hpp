#pragma once
// Functions for kernels: the program's kernels call functions of its shared library, and the library's kernels call
// functions of the program.
#include <sycl/sycl.hpp>

#define SHARED __attribute__((visibility("default")))

// The library defines these functions (external_shared_library.cpp).
SHARED SYCL_EXTERNAL int library_square(int value);
SHARED SYCL_EXTERNAL int library_shift(sycl::nd_item<1> item, int* local, int value);
SHARED SYCL_EXTERNAL int library_asks_program(int value);
/// Sets data[i] to program_number(i) + program_place(), and both[i] to program_number(i) + 5 * i.
SHARED void library_run(sycl::queue& queue, int* data, int* both, std::size_t count);

// The program defines these functions (external_shared.cpp).
SHARED SYCL_EXTERNAL int program_number(int value);
SHARED SYCL_EXTERNAL int program_place();
