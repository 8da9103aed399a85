#pragma once
/// Buffers that nobody but one graph sees: their last handles are gone before it is finalized, and each run of the
/// graph begins by writing them. For graphs that don't change.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// Copies and fills whose results nobody reads become steps that do nothing; returns them.
std::vector<std::uint32_t> drop_unread(std::span<graph_step> steps, std::uint64_t graph);

/// Bytes of temporaries: each for itself, and as they are now. Without those that became values of a fused kernel.
struct temporary_memory {
  std::size_t buffers = 0, before = 0, after = 0;
  std::size_t promoted = 0;  ///< how many did
};
/// Lets temporaries that never live at the same time, by the graph's edges, share memory of the device. Steps that are
/// fused, and those of the host, leave theirs where they are, and buffers that have memory on a device with memory of
/// its own already keep that.
temporary_memory share_memory(std::span<graph_step> steps, std::uint64_t graph, sinter::device_backend& device);

}  // namespace sycl::detail
