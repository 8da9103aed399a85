#pragma once
/// Keeps the program's variables of the class device_global (sycl_ext_oneapi_device_global). Each device with memory of
/// its own has a copy of them. On the CPU, kernels use the variable itself.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

/// Called when an image uses the variable. Devices start with its present contents, because no device has used it yet.
void add_device_global(const void* variable, std::uint64_t bytes) noexcept;
/// Called when an image does not use the variable any more. After the last image, the devices' copies are freed.
void remove_device_global(const void* variable) noexcept;

/// Makes the variable on one device. `initial` has the variable's bytes, or is empty if all bytes are 0.
using global_maker = std::function<std::shared_ptr<void>(const std::string& initial, std::uint64_t bytes)>;
/// Returns the variable's memory on the device that `owner` stands for. Rethrows exceptions of `make`. It may be a
/// variable of this size that no image uses.
void* device_global_on(const void* owner, const void* variable, std::uint64_t bytes, const global_maker& make);

}  // namespace sinter
