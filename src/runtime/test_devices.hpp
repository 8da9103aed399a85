#pragma once
/// Tests build devices of their own on the CPU device; runtime/backend_table.hpp adds such devices.

#include <backends/device.hpp>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

/// Returns the CPU device.
SINTER_EXPORT sinter::device_backend& host_device();

}  // namespace sycl::detail
