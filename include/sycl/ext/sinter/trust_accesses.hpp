#pragma once
/// A promise for kernel fusion: lists may be fused without a proof that the results are those of the kernels one by
/// one.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::fusion {

/// A property of complete_fusion, or of queues, for all their lists. It promises that work-items of different kernels
/// use different data wherever the analysis does not know which data they use, for instance behind indices that were
/// read from memory. Without it the kernels of such lists run one by one, and a warning names them. Fusions that are
/// known to be wrong are never done.
struct trust_accesses : sycl::detail::property_of_kind<sycl::detail::property_kind::trust_accesses> {};

}  // namespace sycl::ext::sinter::property::fusion
