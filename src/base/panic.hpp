#pragma once

namespace sinter {

/// Reports a mistake in Sinter, never one of the user's, and aborts.
[[noreturn]] void panic(const char* sentence) noexcept;

} // namespace sinter
