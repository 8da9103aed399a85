#pragma once
/// A property that lets a queue fuse kernels automatically.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::queue {

/// Kernels that are submitted one after the other become one kernel if Sinter proves that the results stay the same,
/// and if the fused kernel is likely to be faster. To collect kernels, the runtime delays them: they start when the
/// program waits for one of them, or after a short time. The runtime compiles a fusion in the background when it sees a
/// sequence of kernels for the second time.
struct auto_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::auto_fusion> {};

} // namespace sycl::ext::sinter::property::queue
