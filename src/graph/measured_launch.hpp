#pragma once
/// Measures which is faster, one fused kernel or its separate kernels: until this is known, some runs of a graph's step
/// use one form and some the other.

#include <backends/device.hpp>
#include <fusion/fused_launch.hpp>
#include <memory>

namespace sycl::inline _V1::detail {

/// `fused` has to outlive the launch. The choice between the two forms must still be open.
std::unique_ptr<sinter::ready_launch> make_measured_launch(const fused_kernels& fused, sinter::device_backend& backend);

}  // namespace sycl::detail
