#pragma once
// Functions for kernels that lie on the other side of a shared library's border.
#include <sycl/sycl.hpp>

#define SHARED __attribute__((visibility("default")))

// Defined in the library, external_shared_library.cpp.
SHARED SYCL_EXTERNAL int library_square(int value);
SHARED SYCL_EXTERNAL int library_shift(sycl::nd_item<1> item, int* local, int value);
SHARED SYCL_EXTERNAL int library_asks_program(int value);
/// data[i] = program_number(i) + program_place() and, through both, program_number(i) + 5 * i
SHARED void library_run(sycl::queue& queue, int* data, int* both, std::size_t count);

// Defined in the program, external_shared.cpp.
SHARED SYCL_EXTERNAL int program_number(int value);
SHARED SYCL_EXTERNAL int program_place();
