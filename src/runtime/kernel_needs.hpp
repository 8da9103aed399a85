#pragma once
/// Needs of a kernel, whatever the launch: aspects, sizes of groups, functions, fixed targets.

#include <images/kernel_view.hpp>
#include <string>

#include <backends/device.hpp>

namespace sycl::inline _V1::detail {

/// Why the kernel can't run on the device, to be put behind "kernel '...' on device '...': ". Empty: it can.
std::string why_not(const sinter::kernel_view& kernel, const sinter::device_facts& device);

}  // namespace sycl::detail
