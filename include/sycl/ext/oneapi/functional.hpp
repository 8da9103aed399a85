#pragma once
/// DPC++'s older names for function objects that became a part of SYCL 2020.

#include "../../functional.hpp"

namespace sycl::inline _V1::ext::oneapi {

using sycl::bit_and;
using sycl::bit_or;
using sycl::bit_xor;
using sycl::logical_and;
using sycl::logical_or;
using sycl::maximum;
using sycl::minimum;
using sycl::multiplies;
using sycl::plus;

}  // namespace sycl::ext::oneapi
