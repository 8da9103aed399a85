#pragma once
/// Buffers that only one graph can see: their last handles are gone before the graph is finalized, and each run of the
/// graph writes them before it reads them. Such buffers are handled only in graphs that don't change.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// Whether the step overwrites the memory without reading it.
bool discards(const graph_step& step, const buffer_record& record);

/// Turns copies and fills whose results are never read into steps that do nothing. Returns these steps.
std::vector<std::uint32_t> drop_unread(std::span<graph_step> steps, std::uint64_t graph);

/// The number of bytes of temporaries: `before`, if each had its own memory, and `after`, with shared memory.
/// Temporaries that became values of a fused kernel are left out.
struct temporary_memory {
  std::size_t buffers = 0, before = 0, after = 0;
  std::size_t promoted = 0;  ///< number of temporaries that became values
};
/// Lets temporaries share memory of the device if the graph's edges ensure that they are never in use at the same time.
/// Fused steps and steps of the host keep their buffers' memory. A buffer that already has memory on a device with
/// memory of its own keeps that memory, too.
temporary_memory share_memory(std::span<graph_step> steps, std::uint64_t graph, sinter::device_backend& device);

}  // namespace sycl::detail
