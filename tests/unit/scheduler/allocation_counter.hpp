#pragma once
/// Counts calls of operator new in the whole process, libraries included.

#include <cstddef>

namespace test {

/// Whether this build can count allocations. A build with a sanitizer that has its own operator new can't count them.
bool counts_allocations() noexcept;
std::size_t allocations() noexcept;
/// The number of allocations that the calling thread has made.
std::size_t own_allocations() noexcept;
std::size_t live_bytes() noexcept;

}  // namespace test
