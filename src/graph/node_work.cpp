#include "node_work.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <cstring>
#include <new>

#include "executable_graph.hpp"

namespace sycl::detail {

shared<node_work> node_work::copy() const {
  auto made = make_counted<node_work>();
  made->type = type;
  made->name = name;
  made->kernel = kernel;
  made->launch = launch;
  made->ordinary_local_bytes = ordinary_local_bytes;
  made->local_parts = local_parts;
  made->memory = memory;
  made->host = host;
  made->on_host = on_host;
  made->graph = graph;
  made->requirements = requirements;
  made->keep = keep;
  made->estimate = estimate;
  if (!kernel) return made;
  const std::size_t alignment = std::max<std::size_t>(launch.kernel->block_alignment, 64);
  const std::size_t bytes = sinter::abi::align_bytes(launch.kernel->block_size, alignment);
  made->block.reset(std::aligned_alloc(alignment, bytes));
  if (!made->block) throw std::bad_alloc();
  std::memcpy(made->block.get(), launch.block, launch.kernel->block_size);
  made->launch.block = made->block.get();
  return made;
}

void node_work::make_code() {
  if (kernel && kernel->held.backend.family()) kernel->held.backend.prepare(launch);
}

}  // namespace sycl::detail
