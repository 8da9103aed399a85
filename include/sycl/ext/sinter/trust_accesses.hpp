#pragma once
/// A promise for kernel fusion: lists may be fused that are not proved to give the results of kernels one by one.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::fusion {

/// complete_fusion, or queues for all their lists: work-items of different kernels use different data wherever it is
/// not known which data they use, for instance behind indices that were read from memory. Without it the kernels
/// of such lists run one by one, and a warning names them. Fusions that are known to be wrong are never done.
struct trust_accesses : sycl::detail::property_of_kind<sycl::detail::property_kind::trust_accesses> {};

}  // namespace sycl::ext::sinter::property::fusion
