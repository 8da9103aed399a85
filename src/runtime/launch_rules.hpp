#pragma once
/// Checks the rules for launches (SYCL 2020 4.9.4.2, 5.8.1).

#include <images/kernel_view.hpp>
#include <runtime/handler_impl.hpp>
#include <span>
#include <string>
#include <vector>

namespace sycl::inline _V1::detail {

/// Throws an error that names the rule that the launch breaks, with kernel, device and remedy. `block` is the function
/// object.
void check_launch(const handler_impl& handler, const sinter::abi::kernel_descriptor& kernel,
                  const launch_geometry& geometry, const void* block);

/// Throws the same errors for a node, but checks only what an update can change: range, groups, local memory and
/// buffers.
void check_node(const node_work& work);

/// Throws errc::invalid if the graph writes a buffer whose contents are written back to the host's memory.
void check_graph_buffers(std::span<const requirement> buffers);

}  // namespace sycl::detail
