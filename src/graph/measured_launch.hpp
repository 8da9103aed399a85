#pragma once
/// A step of a graph that runs several kernels alternately as one kernel and one by one, until one of these two forms
/// is known to be faster.

#include <backends/device.hpp>
#include <fusion/fused_launch.hpp>
#include <memory>

namespace sycl::inline _V1::detail {

/// `fused` has to outlive the launch. The choice between both forms must still be open.
std::unique_ptr<sinter::ready_launch> make_measured_launch(const fused_kernels& fused, sinter::device_backend& backend);

}  // namespace sycl::detail
