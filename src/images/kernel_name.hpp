#pragma once
/// Finds the name of a kernel for messages.

#include <abi/launch_abi.hpp>
#include <string>

namespace sinter {

/// Returns the readable name in the image. If the image has no readable name, returns the demangled kernel-name type.
std::string kernel_display_name(const abi::kernel_descriptor& kernel);

/// If the name comes from kernel_type_name() of the headers, the name contains the kernel-name type, and the function
/// returns this type. Otherwise it returns the demangled name.
std::string kernel_display_name(const char* type_name);

}  // namespace sinter
