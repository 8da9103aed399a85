#pragma once
/// A property that fuses kernels of command graphs.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::graph {

/// A property of command_graph::finalize: successive kernels of the graph run as one kernel if this is proved to give
/// the same results, and if it pays. Memory of buffers becomes registers if the program asks for it (promote_private),
/// or if a buffer's last handle is destroyed before finalize and no other node uses the buffer. SINTER_REPORT=graph
/// tells which kernels were fused.
struct fuse : sycl::detail::property_of_kind<sycl::detail::property_kind::fuse_graph> {};

}  // namespace sycl::ext::sinter::property::graph
