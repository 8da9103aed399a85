#pragma once
/// Shared libraries that are closed while commands need them.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sinter {

/// Returns the file to which the address belongs, for messages.
const char* file_of(const void* address) noexcept;

/// Returns whether the address lies in a library that was opened at run time and so may be closed.
bool was_opened_later(const void* address) noexcept;

/// The number of libraries that were opened at run time and are registered, with images or without.
extern std::atomic<std::size_t> closable_libraries;

/// Returns when the library of the address is no longer used, or the program ends. The thread waits with the loader's
/// lock held.
void await_uses(const std::atomic<std::uint64_t>& uses, const void* address) noexcept;

}  // namespace sinter
