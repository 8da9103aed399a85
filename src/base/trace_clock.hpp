#pragma once
/// Clocks for the library and for the timeline (trace.hpp).

#include <cstdint>

namespace sinter {

/// Nanoseconds of the steady clock.
std::uint64_t steady_time() noexcept;

/// The steady clock's time to within some tens of nanoseconds, in less than half the time of a call of the clock: these
/// calls were most of the cost of tracing a launch. Never goes back on a thread.
std::uint64_t trace_time() noexcept;

}  // namespace sinter
