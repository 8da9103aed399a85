#pragma once
/// Devices that tests bring with them. Nothing else does.

#include <backends/device.hpp>

#include <sycl/detail/export.hpp>

namespace sycl::detail {

/// From now on it is one of the devices. Before any of them has been asked for; it is never destroyed.
SINTER_EXPORT void add_test_device(sinter::device_backend& added);
/// The CPU device.
SINTER_EXPORT sinter::device_backend& host_device();

}  // namespace sycl::detail
