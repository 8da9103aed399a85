#pragma once
/// A property that compiles kernels for arguments whose values don't change between launches.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// Numbers among a kernel's arguments become constants of its code when they stay the same over many launches. The code
/// for these values is compiled in the background and used when it is ready. Results do not change. Launches with other
/// values run the general code, and each kernel has code for a few sets of values only. The property is useful if a
/// number is the length of a loop or the stride of an array.
struct adaptive : sycl::detail::property_of_kind<sycl::detail::property_kind::adaptive> {};

}  // namespace sycl::ext::sinter::property::queue
