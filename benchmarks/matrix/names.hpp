#pragma once
/// Short names for the benchmarks of joint_matrix.

#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/sycl.hpp>

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::layout;
using matrix::use;
using sycl::sub_group;
using sycl::access::address_space;

/// Adds the address space to a pointer, because loads and stores of matrices need the address space.
template <address_space Space, class T>
auto in(T* pointer) {
  return sycl::address_space_cast<Space, sycl::access::decorated::no>(pointer);
}
