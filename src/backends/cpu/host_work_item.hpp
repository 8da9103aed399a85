#pragma once
/// Runs host entries, one work-item at a time. If host code calls functions of the device ABI, these functions read the
/// work-item's position from thread-local variables (library mode).

#include <abi/launch_abi.hpp>

namespace sinter {

/// Runs work-items [first, last) of a range or single_task kernel. `first` and `last` are linear ids in SYCL order.
void run_host_items(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                    std::uint64_t first, std::uint64_t last);

/// Runs work-groups [first, last) of an nd_range kernel. Work-items that meet barriers run on fibers. Throws
/// sycl::exception if a work-item skips a barrier at which other work-items of its group wait.
void run_host_groups(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                     std::uint64_t first, std::uint64_t last);

} // namespace sinter
