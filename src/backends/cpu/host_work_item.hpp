#pragma once
/// Library mode: runs host entries, one work-item at a time, with the device ABI answered from thread-local state.

#include <abi/launch_abi.hpp>

namespace sinter {

/// Runs work-items [first, last) of a range or single_task kernel, linear in SYCL order.
void run_host_items(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                    std::uint64_t first, std::uint64_t last);

/// Runs work-groups [first, last) of an nd_range kernel. Work-items that meet barriers run on fibers. Throws
/// sycl::exception when a work-item skips a barrier that other work-items of its group wait at.
void run_host_groups(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                     std::uint64_t first, std::uint64_t last);

} // namespace sinter
