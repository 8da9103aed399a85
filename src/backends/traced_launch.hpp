#pragma once
/// Names and sizes of launches and copies in the timeline (base/trace.hpp).

#include <cstdint>

#include "stream.hpp"

namespace sinter {

/// Lasts as long as the program, also when the kernel's library is closed.
const char* traced_name(const abi::kernel_descriptor& kernel);
/// The number of all work-items of a launch.
std::uint64_t traced_work_items(const kernel_launch& launch) noexcept;
/// The number of bytes that are copied, filled or hinted at.
std::uint64_t traced_bytes(const memory_work& work) noexcept;

}  // namespace sinter
