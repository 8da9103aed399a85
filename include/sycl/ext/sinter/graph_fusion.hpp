#pragma once
/// A property that lets Sinter fuse kernels of command graphs.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::graph {

/// A property of command_graph::finalize: successive kernels of the graph run as one kernel if Sinter proves that the
/// results stay the same, and if the fused kernel is faster. A buffer's memory becomes registers in two cases: the
/// program requests it (promote_private), or the buffer's last handle is destroyed before finalize and no other node
/// uses the buffer. SINTER_REPORT=graph prints which kernels were fused.
struct fuse : sycl::detail::property_of_kind<sycl::detail::property_kind::fuse_graph> {};

}  // namespace sycl::ext::sinter::property::graph
