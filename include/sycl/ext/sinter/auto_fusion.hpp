#pragma once
/// A property that lets a queue fuse kernels automatically.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// Kernels submitted one after the other may become one kernel, if the fusion is proved to give the same results and is
/// likely to pay. The kernels start when the program waits for one of them, or after a short time. Code is compiled in
/// the background when a sequence is seen for the second time.
struct auto_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::auto_fusion> {};

} // namespace sycl::ext::sinter::property::queue
