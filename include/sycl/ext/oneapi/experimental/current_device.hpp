#pragma once
/// sycl_ext_oneapi_current_device: each host thread has a current device. These functions set and return the current
/// device of the calling thread. Nothing else in Sinter uses the current device.

#include "../../../device.hpp"

#define SYCL_EXT_ONEAPI_CURRENT_DEVICE 1

namespace sycl::inline _V1::ext::oneapi::experimental::this_thread {

/// Returns the device that the thread has set. If the thread has set no device, returns the device that
/// default_selector_v chooses.
SINTER_EXPORT device get_current_device();
SINTER_EXPORT void set_current_device(device chosen);

}  // namespace sycl::ext::oneapi::experimental::this_thread
