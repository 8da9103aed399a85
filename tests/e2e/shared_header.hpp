#pragma once
/// Kernels in a header that two files of one program include, and a kernel name that each file uses for another kernel.
#include <sycl/sycl.hpp>

#include <cstddef>

class header_named_kernel;

/// Both files use this function, and each has its own copy of the kernel.
inline void add_in_header(sycl::queue& queue, int* data, std::size_t count, int amount) {
  queue.parallel_for<header_named_kernel>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += amount; }).wait();
}

template <class Value>
void scale_in_header(sycl::queue& queue, Value* data, std::size_t count, Value factor) {
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] *= factor; }).wait();
}

/// Defined in the second file.
void second_file_add(sycl::queue& queue, int* data, std::size_t count, int amount);
void second_file_scale(sycl::queue& queue, int* data, std::size_t count, int factor);
void second_file_anonymous(sycl::queue& queue, int* data, std::size_t count);
