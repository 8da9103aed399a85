#pragma once
/// The CPU device, of which tests make devices of their own; runtime/backend_table.hpp adds them.

#include <backends/device.hpp>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

/// The CPU device.
SINTER_EXPORT sinter::device_backend& host_device();

}  // namespace sycl::detail
