#pragma once
/// Kernels whose numbers do not change.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// A kernel's arguments that are numbers become constants of its code when they stay the same over many launches: the
/// code for these values is made in the background and takes over when it is ready. Results are the same. Launches with
/// other values run the code for any, and each kernel has code for a few sets of values only. Useful where a number is
/// the length of a loop or the stride of an array.
struct adaptive : sycl::detail::property_of_kind<sycl::detail::property_kind::adaptive> {};

}  // namespace sycl::ext::sinter::property::queue
