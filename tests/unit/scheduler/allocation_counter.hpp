#pragma once
/// Counts calls of operator new in the whole process, libraries included.

#include <cstddef>

namespace test {

/// Whether allocations can be counted. Returns false if a sanitizer has its own operator new.
bool counts_allocations() noexcept;
std::size_t allocations() noexcept;
/// The number of allocations of the calling thread.
std::size_t own_allocations() noexcept;
std::size_t live_bytes() noexcept;

}  // namespace test
