#pragma once
/// For tests: the CPU device, on which tests base devices of their own, which they add by runtime/backend_table.hpp.

#include <backends/device.hpp>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

/// Returns the CPU device.
SINTER_EXPORT sinter::device_backend& host_device();

}  // namespace sycl::detail
