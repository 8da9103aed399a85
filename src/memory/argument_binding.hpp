#pragma once
/// Replaces host addresses of buffers in a command's arguments by addresses of the device's own memory.

#include <span>

#include <backends/device.hpp>
#include <scheduler/memory_users.hpp>

namespace sycl::inline _V1::detail {

/// Writes addresses in the device's memory into the accessors of a kernel's argument block. `leaves` describes the
/// block.
void bind_arguments(std::span<const sinter::abi::image_leaf> leaves, void* block, const sinter::device_backend& device);
/// Whether no two accessors conflict. Two accessors conflict if they belong to one buffer that the command writes, or
/// to two buffers that use the same memory of the host. With fewer than two accessors the result is false, because the
/// code gains nothing. `requirements` are those of the kernel's command.
bool accessors_are_disjoint(std::span<const sinter::abi::image_leaf> leaves, const void* block,
                            std::span<const requirement> requirements);
/// Like bind_arguments, but changes the addresses of accessors in a copy or fill.
void bind_memory(sinter::memory_work& work, std::span<const requirement> requirements,
                 const sinter::device_backend& device);

}  // namespace sycl::detail
