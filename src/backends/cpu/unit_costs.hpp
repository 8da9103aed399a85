#pragma once
/// Stores the time that a work-item or work-group takes on one thread, measured in earlier launches of the same kernel
/// with a similar size. The time decides how a launch is divided among threads. The time never affects results.

#include <cstdint>

namespace sinter {

/// Returns the nanoseconds of one unit, or 0 if there was no such launch. `code` identifies the kernel.
float known_unit_cost(const void* code, std::uint64_t units) noexcept;
void note_unit_cost(const void* code, std::uint64_t units, float nanoseconds) noexcept;

}  // namespace sinter
