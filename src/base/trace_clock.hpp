#pragma once
/// Times of the timeline (trace.hpp).

#include <cstdint>

namespace sinter {

/// Nanoseconds of the steady clock, to some tens of them, in a third of the time that the clock takes: half of what
/// tracing a launch would cost is reading it. Never goes back on a thread.
std::uint64_t trace_time() noexcept;

}  // namespace sinter
