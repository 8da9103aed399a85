#pragma once
/// For tests: gives access to the CPU device. Tests derive devices of their own from the CPU device, and add these
/// devices with functions of runtime/backend_table.hpp.

#include <backends/device.hpp>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

/// Returns the CPU device.
SINTER_EXPORT sinter::device_backend& host_device();

}  // namespace sycl::detail
