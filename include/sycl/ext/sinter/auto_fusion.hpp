#pragma once
/// Kernel fusion without asking for it.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// Kernels submitted one after the other may become one kernel, where that is proved to give the same results and is
/// likely to pay. They start when the program waits for one of them or soon by themselves; code is compiled in the
/// background, from the second time a sequence is seen.
struct auto_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::auto_fusion> {};

} // namespace sycl::ext::sinter::property::queue
