#pragma once
/// Variables of the program that each device with memory of its own has for itself
/// (sycl_ext_oneapi_device_global). On the CPU the variable itself is what kernels use.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

/// An image uses the variable. Its contents are what devices start with: nobody has used it yet.
void add_device_global(const void* variable, std::uint64_t bytes) noexcept;
/// One image less does. With the last one, what devices have of it goes.
void remove_device_global(const void* variable) noexcept;

/// Makes the variable on one device: `initial` has the variable's bytes, or none where all are 0.
using global_maker = std::function<std::shared_ptr<void>(const std::string& initial, std::uint64_t bytes)>;
/// The variable's memory on the device that `owner` stands for. What `make` throws is thrown. It may be a variable that
/// no image uses, of so many bytes.
void* device_global_on(const void* owner, const void* variable, std::uint64_t bytes, const global_maker& make);

}  // namespace sinter
