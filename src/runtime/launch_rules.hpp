#pragma once
/// The rules that a launch has to meet (SYCL 2020 4.9.4.2, 5.8.1).

#include <images/kernel_view.hpp>
#include <runtime/handler_impl.hpp>
#include <span>
#include <string>
#include <vector>

namespace sycl::detail {

/// Throws what says which rule the launch breaks, with kernel, device and remedy. `block` is the function object.
void check_launch(const handler_impl& handler, const sinter::abi::kernel_descriptor& kernel,
                  const launch_geometry& geometry, const void* block);

/// Throws the same, but checks only what an update of a node can change: range, groups, local memory and buffers.
void check_node(const node_work& work);

/// Throws errc::invalid if a buffer's contents are written back to the host's memory and the graph writes them.
void check_graph_buffers(std::span<const requirement> buffers);

/// What it was compiled for instead of this device (-fsycl-fixed-targets); empty: nothing forbids it.
std::string other_targets(const sinter::kernel_view& kernel, const sinter::device_facts& device);

/// What the device lacks of what functions of other files require that the kernel calls: sentences for people.
/// Empty: it suits them all.
std::vector<std::string> unsuited_functions(const sinter::kernel_view& kernel, const sinter::device_facts& device);

/// Whether the device has what the kernel has of device_globals, which it finds by address.
bool has_its_globals(const sinter::kernel_view& kernel, const sinter::device_facts& device) noexcept;

/// Whether the sizes that the kernel requires are those of the runtime's own CPU device, and not of this one.
bool has_other_sizes(const sinter::kernel_view& kernel, const sinter::device_facts& device) noexcept;

/// Says what is too large for the device in the work-groups that the kernel requires, to be put behind "work-groups".
/// Empty: they fit.
std::string too_large_group(const sinter::kernel_view& kernel, const sinter::device_facts& device);

}  // namespace sycl::detail
