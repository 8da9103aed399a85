#pragma once
/// Shared libraries that are closed while commands need them.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sinter {

/// The file that the address lies in, for messages.
const char* file_of(const void* address) noexcept;

/// Whether the address lies in a library that was opened at run time, and so may be closed.
bool was_opened_later(const void* address) noexcept;

/// The number of such libraries that are registered, with images or without.
extern std::atomic<std::size_t> closable_libraries;

/// Returns when nobody uses the library of the address any more, or the program ends. Waits with the loader's lock
/// held.
void await_uses(const std::atomic<std::uint64_t>& uses, const void* address) noexcept;

}  // namespace sinter
