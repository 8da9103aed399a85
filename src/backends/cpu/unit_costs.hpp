#pragma once
/// The time that a work-item or work-group takes on one thread, from earlier launches of the kernel of about the same
/// size. It decides how a launch is divided among threads, and never changes results.

#include <cstdint>

namespace sinter {

/// Returns the nanoseconds of a unit, or 0 if there was no such launch. `code` identifies the kernel.
float known_unit_cost(const void* code, std::uint64_t units) noexcept;
void note_unit_cost(const void* code, std::uint64_t units, float nanoseconds) noexcept;

}  // namespace sinter
