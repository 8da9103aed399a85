#pragma once

namespace sinter {

/// Reports a mistake in Sinter's own code, never a mistake of the user, and aborts.
[[noreturn]] void panic(const char* sentence) noexcept;

} // namespace sinter
