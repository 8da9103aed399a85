#pragma once
/// A property that lets the runtime compile kernels for argument values that don't change between launches.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// If an argument of a kernel is a number and stays the same over many launches, the argument becomes a constant in the
/// kernel's code. The runtime compiles this code in the background, and later launches use the code. The results of
/// kernels do not change. Launches with other values run the general code. For each kernel, the runtime compiles code
/// for only a few sets of values. The property is useful if a number is the length of a loop or the stride of an array.
struct adaptive : sycl::detail::property_of_kind<sycl::detail::property_kind::adaptive> {};

}  // namespace sycl::ext::sinter::property::queue
