#include "gpu_device.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <cstdio>

#include <sycl/exception.hpp>

#include "gpu_graph.hpp"
#include "gpu_stream.hpp"
#include "gpu_timer.hpp"

namespace sinter::gpu {

launch_class gpu_device::class_of(std::span<const kernel_launch* const> together) const noexcept {
  launch_class result;
  result.no_offset = std::none_of(together.begin(), together.end(), [](const kernel_launch* each) {
    return each->global_offset[0] != 0 || each->global_offset[1] != 0 || each->global_offset[2] != 0;
  });
  result.disjoint = together.size() == 1 && together[0]->disjoint;
  result.turns = together.size() == 1 && takes_turns(*together[0]);
  if (result.turns) return result;
  // The compiler chooses the block size of range kernels later. The smallest possible block is assumed here. So a
  // launch counts as folded whenever it might have more groups than a grid can have blocks.
  result.folded = std::any_of(together.begin(), together.end(), [&](const kernel_launch* each) {
    const bool grouped = each->kernel->shape == abi::kernel_shape::nd_range;
    const std::uint64_t(&local)[3] = each->local_range;
    return is_folded(m_gpu.description(), *each,
                     grouped ? abi::local_range{local[0], local[1], local[2]} : abi::local_range{1, 1, 1});
  });
  return result;
}

void gpu_device::check_memory(const kernel_launch& launch) const {
  // Most kernels need no local memory for each work-item, so the size of their groups does not matter.
  const bool depends_on_groups = launch.code->gpu->scratch_bytes_per_item != 0;
  check_local_memory(facts(), launch, depends_on_groups ? shape_of(launch).shared_bytes : local_bytes_of(launch, 0));
  check_private_memory(load(m_gpu, *launch.code, *launch.kernel));
}

std::uint64_t gpu_device::groups_together(kernel_launch& launch) {
  find_driver_code(*this, launch);
  return blocks_together(m_gpu, load(m_gpu, *launch.code, *launch.kernel), shape_of(launch));
}

std::unique_ptr<device_stream> gpu_device::make_stream(const stream_use& use) {
  return std::make_unique<gpu_stream>(m_gpu, use.measures);
}

std::unique_ptr<device_program> gpu_device::make_program(std::span<const program_step> steps, std::string& why) {
  return gpu_graph::make(m_gpu, steps, why);
}

std::unique_ptr<device_timer> gpu_device::make_timer() { return std::make_unique<gpu_timer>(m_gpu); }

bool gpu_device::reaches(const device_backend& other) const noexcept {
  if (!is_ordered_with(other)) return false;
  try {
    return m_gpu.reaches(static_cast<const gpu_device&>(other).m_gpu);
  } catch (const sycl::exception&) {
    return false;  // later uses of the device report the error
  }
}

std::unique_ptr<device_stream> gpu_device::natives_of::adopt_stream(void* stream, bool measures) {
  return std::make_unique<gpu_stream>(m_gpu, measures, static_cast<stream_handle>(stream));
}

void gpu_device::natives_of::wait_for(void* event) {
  m_gpu.use();
  m_gpu.check(m_gpu.functions().await_event(static_cast<event_handle>(event)), "waiting for an event");
}

grid gpu_device::shape_of(const kernel_launch& launch) const {
  abi::gpu_geometry geometry;
  return grid_of(m_gpu.description(), launch, launch.code->made_for.launches, geometry);
}

/// Throws if the launch has barriers across all work-groups, and these groups can't all run at the same time. A group
/// that starts only after other groups have ended could never reach a barrier together with them.
void gpu_device::check_launch(const kernel_launch& launch) const {
  if (!launch.code->gpu->groups_meet) return;
  const loaded_program& loaded = load(m_gpu, *launch.code, *launch.kernel);
  const grid shape = shape_of(launch);
  const std::uint64_t most = blocks_together(m_gpu, loaded, shape);
  if (shape.all_blocks() <= most) return;
  sycl::detail::throw_error(sycl::errc::nd_range,
                            "kernel '" + loaded.kernel + "' on device '" + facts().name + "': its " +
                                std::to_string(shape.all_blocks()) +
                                " work-groups meet at a barrier (root_group) or have to make progress concurrently "
                                "(work_group_progress), and the device has room for " +
                                std::to_string(most) +
                                " at the same time (info::kernel_queue_specific::max_num_work_groups); launch fewer");
}

/// Throws if work-items need more private memory than the GPU has. The driver loads such kernels without an error, but
/// they fail when they run.
void gpu_device::check_private_memory(const loaded_program& loaded) const {
  const std::uint64_t most = m_gpu.description().private_bytes;
  if (static_cast<std::uint64_t>(loaded.private_bytes) <= most) return;
  sycl::detail::throw_error(sycl::errc::memory_allocation,
                        "kernel '" + loaded.kernel + "' on device '" + facts().name + "': each work-item needs " +
                            std::to_string(loaded.private_bytes) +
                            " bytes for private arrays, and this GPU has " + std::to_string(most) +
                            " for each that it can run at the same time; make private arrays smaller, or keep the "
                            "data in a buffer or USM");
}

void introduce(const std::vector<device_backend*>& devices) {
  for (device_backend* each : devices) {
    std::vector<gpu_context*> others;
    for (device_backend* other : devices) {
      if (each != other) others.push_back(&static_cast<gpu_device*>(other)->context());
    }
    static_cast<gpu_device*>(each)->context().know(std::move(others));
  }
}

void unload_from(const std::vector<device_backend*>& devices, gpu_program& unused) noexcept {
  for (device_backend* each : devices) unload(static_cast<gpu_device*>(each)->context(), unused);
}

gpu_context& any_in_use(const std::vector<device_backend*>& devices) {
  gpu_context* chosen = nullptr;
  for (device_backend* each : devices) {
    gpu_context& gpu = static_cast<gpu_device*>(each)->context();
    if (!chosen || (!chosen->is_open() && gpu.is_open())) chosen = &gpu;
  }
  return *chosen;
}

std::uint32_t pci_device_id(const std::string& address) {
  unsigned id = 0;
  if (std::FILE* file = std::fopen(("/sys/bus/pci/devices/" + address + "/device").c_str(), "r")) {
    if (std::fscanf(file, "%x", &id) != 1) id = 0;
    std::fclose(file);
  }
  return id;
}

std::string pci_address(int domain, int bus, int device) {
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.0", static_cast<unsigned>(domain), static_cast<unsigned>(bus),
                static_cast<unsigned>(device));
  return text;
}

}  // namespace sinter::gpu
