#pragma once
/// Checks needs of a kernel that do not depend on the launch: aspects, sizes of groups, functions, fixed targets.

#include <images/kernel_view.hpp>
#include <string>

#include <backends/device.hpp>

namespace sycl::inline _V1::detail {

/// Returns an empty text if the kernel can run on the device. Otherwise returns the reason, worded to follow "kernel
/// '...' on device '...': ".
std::string why_not(const sinter::kernel_view& kernel, const sinter::device_facts& device);

}  // namespace sycl::detail
