#pragma once
/// A promise for kernel fusion: Sinter may fuse kernels even if it can't prove that the results stay the same.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::fusion {

/// A property of complete_fusion or of a queue. On a queue, it applies to all fusions. In some cases the analysis can't
/// determine which data a work-item uses, for instance because an index was read from memory. For these cases, the
/// property promises that no work-item uses data which another work-item has computed in a different kernel of the
/// fusion. Without the promise, the kernels of such a fusion run one by one, and a warning names them. A fusion that
/// the analysis knows to be wrong is never done.
struct trust_accesses : sycl::detail::property_of_kind<sycl::detail::property_kind::trust_accesses> {};

}  // namespace sycl::ext::sinter::property::fusion
