#pragma once
/// Temporaries are buffers that only one graph uses. The program has destroyed these buffers before the graph is
/// finalized, and each run of the graph writes them before it reads them. The runtime looks for temporaries only in
/// graphs that can't be updated.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// Whether the step overwrites the memory without reading it.
bool discards(const graph_step& step, const buffer_record& record);

/// If nothing reads the result of a copy or a fill, turns this step into a step that does nothing. Returns the changed
/// steps.
std::vector<std::uint32_t> drop_unread(std::span<graph_step> steps, std::uint64_t graph);

/// The number of bytes of temporaries: `before` without sharing, `after` with sharing. Temporaries whose contents a
/// fused kernel keeps in registers don't count.
struct temporary_memory {
  std::size_t buffers = 0, before = 0, after = 0;
  std::size_t promoted = 0;  ///< number of temporaries whose contents a fused kernel keeps in registers
};
/// Lets temporaries share memory of the device if the graph's edges ensure that these temporaries are never in use at
/// the same time. Buffers that fused steps or steps of the host use keep their own memory. Buffers that were already
/// allocated on a device with memory of its own keep this memory, too.
temporary_memory share_memory(std::span<graph_step> steps, std::uint64_t graph, sinter::device_backend& device);

}  // namespace sycl::detail
