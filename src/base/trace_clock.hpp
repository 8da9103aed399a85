#pragma once
/// Times of the timeline (trace.hpp).

#include <cstdint>

namespace sinter {

/// Nanoseconds of the steady clock, to some tens of them, in less than half the time that the clock takes: reading it
/// was most of what tracing a launch cost. Never goes back on a thread.
std::uint64_t trace_time() noexcept;

}  // namespace sinter
