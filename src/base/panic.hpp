#pragma once

namespace sinter {

/// A mistake of ours, never of the user's: says so and aborts.
[[noreturn]] void panic(const char* sentence) noexcept;

} // namespace sinter
