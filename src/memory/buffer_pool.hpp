#pragma once
/// Memory for buffers. Blocks are kept for the next buffer of about that size: the first touch of fresh memory costs
/// several times the work of a kernel on it, and malloc is slow for small blocks that are aligned.

#include <cstddef>

namespace sycl::inline _V1::detail {

/// Returns memory that is aligned to 64 bytes and has any contents. Returns null if no memory is left.
void* allocate_buffer_memory(std::size_t bytes);
void free_buffer_memory(void* memory, std::size_t bytes) noexcept;

} // namespace sycl::detail
