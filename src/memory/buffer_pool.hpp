#pragma once
/// Memory for buffers. Large blocks are kept for the next buffer of about that size, because the first access to fresh
/// memory takes several times as long as a kernel that uses it.

#include <cstddef>

namespace sycl::inline _V1::detail {

/// Returns memory that is aligned to 64 bytes and has any contents. Returns null if no memory is left.
void* allocate_buffer_memory(std::size_t bytes);
void free_buffer_memory(void* memory, std::size_t bytes) noexcept;

} // namespace sycl::detail
