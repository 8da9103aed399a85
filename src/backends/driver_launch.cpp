#include "driver_launch.hpp"

#include <abi/byte_count.hpp>
#include <abi/gpu_launch.hpp>
#include <algorithm>
#include <cstring>
#include <images/code_variants.hpp>
#include <images/kernel_name.hpp>
#include <images/loader.hpp>
#include <images/registry.hpp>

#include <sycl/exception.hpp>

#include "global_memory.hpp"

namespace sinter {

void find_driver_code(device_backend& device, kernel_launch& launch) {
  if (!image_of(*launch.kernel)) {
    // A kernel that the driver itself has built from source has no image, but its descriptor points to the code.
    const bool is_built = (launch.kernel->flags & abi::descriptor_from_source) != 0;
    if (is_built && (launch.code = newest_variant(*launch.kernel))) return;
    sycl::detail::throw_error(sycl::errc::kernel_not_supported,
                              "kernel '" + kernel_display_name(*launch.kernel) + "' on device '" + device.facts().name +
                                  "': it was not compiled for devices; compile the program with Sinter's plugin");
  }
  const abi::local_range group = local_range_of(*launch.kernel, launch.local_range);
  const kernel_launch* const alone[] = {&launch};
  launch_class launches = device.class_of(alone);
  launches.ids = launch.ids();
  launch.code = &acquire_code(*launch.kernel, device.target(), launches, group, launch.block, launch.constants);
  launch.globals = table_of_globals(device, launch);
}

namespace {

// A block has at least two sub-groups, so that one sub-group can run while another one waits for memory.
constexpr std::uint64_t least_group = 2 * abi::least_block;

/// Returns the size of a launch's blocks. If the code allows several sizes, the function chooses one of them. Blocks
/// are small enough for every compute unit to get one, because the work-items of short ranges often have long loops.
abi::local_range block_for(const kernel_launch& launch, std::uint64_t compute_units) noexcept {
  abi::local_range block = launch.code->gpu->block;
  if (block[0] != 0 || block[2] == 0) return block;
  block[0] = block[1] = 1;
  while (block[2] > least_group && (launch.global_range[2] + block[2] - 1) / block[2] < compute_units) block[2] /= 2;
  return block;
}

}  // namespace

launched_groups groups_of(const kernel_launch& launch, std::uint64_t compute_units,
                          abi::gpu_geometry& geometry) noexcept {
  launched_groups result;
  const abi::local_range block = block_for(launch, compute_units);
  const bool grouped = launch.blocks ? launch.code->grouped : launch.kernel->shape == abi::kernel_shape::nd_range;
  for (std::size_t d = 0; d < 3; ++d) {
    result.size[d] = grouped ? launch.local_range[d] : block[d];
    // Most launches have groups of one work-item in two dimensions, and divisions are slow.
    result.count[d] = result.size[d] == 1 ? launch.global_range[d]
                                          : (launch.global_range[d] + result.size[d] - 1) / result.size[d];
    result.items *= result.size[d];
    result.all *= result.count[d];
    geometry.global_range[d] = launch.global_range[d];
    geometry.global_offset[d] = launch.global_offset[d];
    geometry.group_range[d] = result.count[d];
  }
  geometry.globals = reinterpret_cast<std::uint64_t>(launch.globals);
  geometry.meeting = 0;
  return result;
}

std::uint64_t items_of_group(const kernel_launch& launch) noexcept {
  std::uint64_t items = 1;
  for (const std::uint64_t size : launch.local_range) {
    items = abi::multiply_bytes(items, std::max<std::uint64_t>(size, 1));
  }
  return items;
}

std::uint64_t local_bytes_of(const kernel_launch& launch, std::uint64_t items) noexcept {
  const std::uint64_t of_each = launch.code->gpu->scratch_bytes_per_item;
  const std::uint64_t scratch = abi::align_bytes(abi::multiply_bytes(of_each, items + 1), 128);
  return abi::add_bytes(abi::add_bytes(of_each == 0 ? 0 : scratch, launch.code->gpu->variable_bytes),
                        launch.local_memory_bytes);
}

void check_local_memory(const device_facts& device, const kernel_launch& launch, std::uint64_t bytes) {
  if (bytes <= device.local_memory_bytes) return;
  sycl::detail::throw_error(sycl::errc::memory_allocation,
                            "kernel '" + kernel_display_name(*launch.kernel) + "' on device '" + device.name +
                                "': its groups need " + std::to_string(bytes) +
                                " bytes of local memory, for local accessors, group_local_memory and group functions, "
                                "and the device has " + std::to_string(device.local_memory_bytes) +
                                " (info::device::local_mem_size); make local accessors or work-groups smaller");
}

std::uint64_t block_bytes(const kernel_launch& launch) noexcept {
  if (!launch.blocks) return launch.kernel->block_size;
  abi::joined_blocks places;
  for (const abi::kernel_descriptor* each : launch.code->members) places.add(each->block_size, each->block_alignment);
  return places.bytes;
}

std::uint64_t join_blocks(const kernel_launch& launch, char* to) noexcept {
  abi::joined_blocks places;
  for (std::size_t i = 0; i < launch.code->members.size(); ++i) {
    const abi::kernel_descriptor& member = *launch.code->members[i];
    std::memcpy(to + places.add(member.block_size, member.block_alignment), launch.blocks[i], member.block_size);
  }
  return places.bytes;
}

}  // namespace sinter
