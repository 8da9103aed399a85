#pragma once
/// sycl_ext_oneapi_current_device: a current device for each thread of the host. These functions set and return it;
/// nothing else uses the current device.

#include "../../../device.hpp"

#define SYCL_EXT_ONEAPI_CURRENT_DEVICE 1

namespace sycl::inline _V1::ext::oneapi::experimental::this_thread {

/// The device that the thread has set; if it has set none, the device that default_selector_v chooses.
SINTER_EXPORT device get_current_device();
SINTER_EXPORT void set_current_device(device chosen);

}  // namespace sycl::ext::oneapi::experimental::this_thread
