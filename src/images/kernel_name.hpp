#pragma once
/// The name of a kernel in messages.

#include <abi/launch_abi.hpp>
#include <string>

namespace sinter {

/// Readable: from the image, else the demangled kernel-name type.
std::string kernel_display_name(const abi::kernel_descriptor& kernel);

/// The kernel-name type behind a mangled name that kernel_type_name gave; other names, demangled.
std::string kernel_display_name(const char* type_name);

}  // namespace sinter
