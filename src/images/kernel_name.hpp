#pragma once
/// Finds the name of a kernel for messages.

#include <abi/launch_abi.hpp>
#include <string>

namespace sinter {

/// Returns the readable name in the image, or else the demangled kernel-name type.
std::string kernel_display_name(const abi::kernel_descriptor& kernel);

/// Returns the kernel-name type in a mangled name of kernel_type_name, or another name demangled.
std::string kernel_display_name(const char* type_name);

}  // namespace sinter
