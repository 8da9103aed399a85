#pragma once
/// Names of launches and sizes of copies in the timeline (base/trace.hpp).

#include <cstdint>

#include "stream.hpp"

namespace sinter {

/// Returns the kernel's name. The string exists until the program ends, even if the kernel's library is closed.
const char* traced_name(const abi::kernel_descriptor& kernel);
/// Returns the number of bytes that the operation copies or fills. If the operation is a hint, returns the number of
/// bytes to which the hint applies.
std::uint64_t traced_bytes(const memory_work& work) noexcept;

}  // namespace sinter
