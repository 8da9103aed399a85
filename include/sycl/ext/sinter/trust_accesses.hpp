#pragma once
/// A promise for kernel fusion: lists of kernels may be fused without a proof that the results stay the same.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::fusion {

/// A property of complete_fusion, or of a queue for all its lists of kernels. It promises that work-items of different
/// kernels use different data if the analysis does not know which data they use, for instance because of indices that
/// were read from memory. Without the promise, the kernels of such lists run one by one, and a warning names them.
/// Fusions that are known to be wrong are never done.
struct trust_accesses : sycl::detail::property_of_kind<sycl::detail::property_kind::trust_accesses> {};

}  // namespace sycl::ext::sinter::property::fusion
