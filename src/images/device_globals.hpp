#pragma once
/// Keeps a record of the program's device globals, which are variables of the class device_global
/// (sycl_ext_oneapi_device_global). Each device with memory of its own has a copy of each variable. On the CPU, kernels
/// use the variable itself.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

/// Called when an image that uses the variable is registered. Each device's copy will begin with the contents that the
/// variable has now, because no device has used it yet.
void add_device_global(const void* variable, std::uint64_t bytes) noexcept;
/// Called when an image that uses the variable is unregistered. When no image uses the variable any more, the devices'
/// copies are freed.
void remove_device_global(const void* variable) noexcept;

/// Allocates and initialises the variable on one device. `initial` has the variable's bytes, or is empty if all bytes
/// are 0.
using global_maker = std::function<std::shared_ptr<void>(const std::string& initial, std::uint64_t bytes)>;
/// Returns the variable's memory on a device, which `owner` identifies. If `make` throws an exception, this function
/// throws it, too. `bytes` is the size of the variable, which is needed only if no registered image uses the variable.
void* device_global_on(const void* owner, const void* variable, std::uint64_t bytes, const global_maker& make);

}  // namespace sinter
