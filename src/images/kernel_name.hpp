#pragma once
/// Facts about a kernel for messages and checks.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// Readable: from the image, else the demangled kernel-name type.
std::string kernel_display_name(const abi::kernel_descriptor& kernel);

/// The kernel-name type behind a mangled name that kernel_type_name gave.
std::string kernel_display_name(const char* type_name);

/// Three sizes in padded SYCL order, or null when the kernel requires none or has no image.
const std::uint32_t* required_work_group_size(const abi::kernel_descriptor& kernel);
/// Whether those are of groups that the kernel makes itself, not of launches.
bool has_own_groups(const abi::kernel_descriptor& kernel);
/// 0: no requirement.
std::uint32_t required_sub_group_size(const abi::kernel_descriptor& kernel);
/// What [[sycl::device_has]] asks for and the device lacks: values of sycl::aspect, abi::aspect_limit for unknown ones.
std::vector<std::uint32_t> missing_aspects(const abi::kernel_descriptor& kernel,
                                           const std::vector<std::uint32_t>& present);
/// Work-items per sub-group where nothing is required: as many 4-byte values as the longest vectors hold.
std::uint32_t usual_sub_group_size() noexcept;

} // namespace sinter
