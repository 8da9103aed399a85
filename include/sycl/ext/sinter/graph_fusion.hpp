#pragma once
/// Kernels of command graphs that become one.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::graph {

/// For command_graph::finalize: successive kernels of the graph run as one kernel where that gives the same results,
/// which is proved, and where it pays. Memory of buffers becomes registers where the program asks for it
/// (promote_private), and of buffers whose last handle is gone before finalize where no other node uses them.
/// SINTER_REPORT=graph tells which kernels were fused.
struct fuse : sycl::detail::property_of_kind<sycl::detail::property_kind::fuse_graph> {};

}  // namespace sycl::ext::sinter::property::graph
