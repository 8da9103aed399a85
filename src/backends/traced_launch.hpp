#pragma once
/// Names and sizes of launches and copies in the timeline (base/trace.hpp).

#include <cstdint>

#include "stream.hpp"

namespace sinter {

/// Returns the kernel's name. The string exists until the program ends, even if the kernel's library is closed.
const char* traced_name(const abi::kernel_descriptor& kernel);
/// Returns the number of all work-items of a launch.
std::uint64_t traced_work_items(const kernel_launch& launch) noexcept;
/// Returns the number of bytes that the operation copies or fills, or to which the hint applies.
std::uint64_t traced_bytes(const memory_work& work) noexcept;

}  // namespace sinter
