#pragma once
/// Counts calls of operator new in the whole process, libraries included.

#include <cstddef>

namespace test {

/// Whether this build can count allocations. If a sanitizer has its own operator new, it can't.
bool counts_allocations() noexcept;
std::size_t allocations() noexcept;
/// The number of allocations that the calling thread has made.
std::size_t own_allocations() noexcept;
std::size_t live_bytes() noexcept;

}  // namespace test
