#include "node_work.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <cstring>
#include <images/kernel_view.hpp>
#include <memory/argument_binding.hpp>
#include <memory/buffer_record.hpp>
#include <new>

#include "executable_graph.hpp"

namespace sycl::inline _V1::detail {

shared<node_work> node_work::copy() const {
  auto made = make_counted<node_work>(static_cast<const node_facts&>(*this));
  if (!kernel) return made;
  const std::size_t size = launch.kernel->block_size, alignment = launch.kernel->block_alignment;
  void* place = made->small_block;
  if (size > sizeof(small_block) || alignment > alignof(node_work)) {
    place = std::aligned_alloc(alignment, sinter::abi::align_bytes(size, alignment));
    made->block.reset(place);
    if (!place) throw std::bad_alloc();
  }
  std::memcpy(place, launch.block, size);
  made->launch.block = place;
  return made;
}

shared<node_work> node_work::bound_to(sinter::device_backend& device) const {
  shared<node_work> bound = copy();
  for (const requirement& each : requirements) {
    if (each.place == &device) record_of(each).reserve(device, finisher::attendant);
  }
  if (!kernel) {
    bind_memory(bound->memory, requirements, device);
    return bound;
  }
  const sinter::image_use keep_image(*launch.kernel);
  bind_arguments(sinter::kernel_view(*launch.kernel).leaves(), const_cast<void*>(bound->launch.block), device);
  return bound;
}

void node_work::make_ready() {
  if (!kernel) return;
  check(*this);
  // A kernel without groups is launched without groups, even if update_nd_range gave it some.
  if (launch.kernel->shape == sinter::abi::kernel_shape::range) {
    std::copy_n(launch_geometry().local_range, 3, launch.local_range);
  }
  sinter::device_backend& device = kernel->held.backend;
  if (!device.works_by_itself()) return;
  if (device.has_own_memory()) {
    const sinter::image_use keep_image(*launch.kernel);
    launch.disjoint =
        accessors_are_disjoint(sinter::kernel_view(*launch.kernel).leaves(), launch.block, requirements);
  }
  device.prepare(launch);
}

}  // namespace sycl::detail
