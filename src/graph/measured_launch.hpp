#pragma once
/// Measures which is faster, one fused kernel or its separate kernels: until this is known, some runs of a graph's step
/// use the fused kernel, and some use the separate kernels.

#include <backends/device.hpp>
#include <fusion/fused_launch.hpp>
#include <memory>

namespace sycl::inline _V1::detail {

/// `fused` has to outlive the launch. It must not be decided yet whether the fused kernel or the separate kernels are
/// faster.
std::unique_ptr<sinter::ready_launch> make_measured_launch(const fused_kernels& fused, sinter::device_backend& backend);

}  // namespace sycl::detail
