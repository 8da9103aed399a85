#pragma once
/// Memory for buffers. Freed blocks are kept for the next buffers of about the same size: touching fresh memory for the
/// first time takes several times as long as a kernel's work on it, and malloc is slow for small aligned blocks.

#include <cstddef>

namespace sycl::inline _V1::detail {

/// Returns uninitialised memory that is aligned to 64 bytes. Returns null if no memory is left.
void* allocate_buffer_memory(std::size_t bytes);
void free_buffer_memory(void* memory, std::size_t bytes) noexcept;

} // namespace sycl::detail
