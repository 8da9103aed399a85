#pragma once
/// Replaces host addresses of buffers in a command's arguments by addresses of the device's own memory.

#include <span>

#include <backends/device.hpp>
#include <scheduler/memory_users.hpp>

namespace sycl::inline _V1::detail {

/// Writes addresses in the device's memory into the accessors of a kernel's argument block. `leaves` describes the
/// block.
void bind_arguments(std::span<const sinter::abi::image_leaf> leaves, void* block, const sinter::device_backend& device);
/// Whether no two of the accessors reach the same buffer, or buffers over the same memory of the host. Buffers that are
/// only read do not count. `requirements` are the requirements of the kernel's command. Returns false if there are
/// fewer than two accessors.
bool accessors_are_disjoint(std::span<const sinter::abi::image_leaf> leaves, const void* block,
                            std::span<const requirement> requirements);
/// Does what bind_arguments does, but for copies and fills of accessors.
void bind_memory(sinter::memory_work& work, std::span<const requirement> requirements,
                 const sinter::device_backend& device);

}  // namespace sycl::detail
