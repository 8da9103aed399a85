#pragma once
/// Clocks for the library and for the timeline (trace.hpp).

#include <cstdint>

namespace sinter {

/// Nanoseconds of the steady clock.
std::uint64_t steady_time() noexcept;

/// The steady clock's time, exact to some tens of nanoseconds. The function takes less than half the time of a call of
/// the clock, and such calls were most of the cost of tracing a launch. On one thread, the time never goes back.
std::uint64_t trace_time() noexcept;

}  // namespace sinter
