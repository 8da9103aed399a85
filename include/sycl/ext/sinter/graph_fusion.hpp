#pragma once
/// Kernels of command graphs that become one.

#include "../../property_list.hpp"

namespace sycl::inline _V1::ext::sinter::property::graph {

/// Of command_graph::finalize: kernels of the graph that follow each other and of which it is proved that they give the
/// same results as one kernel, run as one where that pays. Memory of buffers becomes registers where the program asks
/// for it (promote_private), and of buffers whose last handle is gone before finalize where no other node uses them.
/// SINTER_REPORT=graph says what was done.
struct fuse : sycl::detail::property_of_kind<sycl::detail::property_kind::fuse_graph> {};

}  // namespace sycl::ext::sinter::property::graph
