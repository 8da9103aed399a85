#pragma once
/// Kernel fusion without warnings about what is not proved.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::fusion {

/// complete_fusion, or queues for all their lists: work-items of different kernels use different data wherever it is
/// not known which data they use, for instance behind indices that were read from memory. Without it such lists are
/// fused as well, and a warning names the kernels. What is known to be wrong is not fused in any case.
struct trust_accesses : sycl::detail::property_of_kind<sycl::detail::property_kind::trust_accesses> {};

}  // namespace sycl::ext::sinter::property::fusion
