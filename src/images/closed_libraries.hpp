#pragma once
/// When a program closes a shared library, the functions in this file wait for commands that still need the library's
/// code.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sinter {

/// Returns the path of the file to which the address belongs, for messages.
const char* file_of(const void* address) noexcept;

/// Returns whether the address belongs to a library that was opened at run time and can therefore be closed.
bool was_opened_later(const void* address) noexcept;

/// The number of registered libraries that were opened at run time. A library is counted even if it has no images.
extern std::atomic<std::size_t> closable_libraries;

/// Waits until no command uses the library that contains `address`, or until the program ends. The calling thread holds
/// the loader's lock while it waits.
void await_uses(const std::atomic<std::uint64_t>& uses, const void* address) noexcept;

}  // namespace sinter
