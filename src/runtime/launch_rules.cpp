#include "launch_rules.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <atomic>
#include <base/count_text.hpp>
#include <base/environment.hpp>
#include <images/compile_counts.hpp>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <memory/accessor_fields.hpp>
#include <string>
#include <vector>

#include <sycl/exception.hpp>

#include "kernel_needs.hpp"

namespace sycl::inline _V1::detail {
namespace {

// Whether any placeholder accessor was ever made. Most programs have none, so that launches need no search.
std::atomic<bool> placeholders_exist{false};

/// A launch that is checked, with all facts that the rules need.
struct wanted_launch {
  const sinter::abi::kernel_descriptor& descriptor;
  const launch_geometry& geometry;
  std::size_t local_bytes;
  const sinter::device_facts& device;
  const sinter::kernel_view kernel{descriptor};

  [[noreturn]] void refuse(errc code, const std::string& why) const {
    detail::throw_error(code, "kernel '" + sinter::kernel_display_name(descriptor) + "' on device '" +
                                                   device.name + "': " + why);
  }
  /// Returns sizes as text in the user's dimensions.
  std::string text_of(const std::uint64_t (&padded)[3]) const {
    return size_list(padded + 3 - descriptor.dimensions, static_cast<int>(descriptor.dimensions));
  }
  bool has_groups() const noexcept { return descriptor.shape == sinter::abi::kernel_shape::nd_range; }
};

void device_meets_requirements(const wanted_launch& launch) {
  const std::string why = why_not(launch.kernel, launch.device);
  if (!why.empty()) launch.refuse(errc::kernel_not_supported, why);
}

/// Returns whether every size is below 2^21, so that products and sums of sizes fit into 64 bits.
bool is_small(const launch_geometry& geometry) noexcept {
  std::uint64_t bits = 0;
  for (int d = 0; d < 3; ++d) bits |= geometry.global_range[d] | geometry.global_offset[d];
  return bits >> 21 == 0;
}

/// Throws if the number of work-items does not fit into 64 bits, because all code counts work-items in 64 bits. A
/// launch without work-items is right, even if the product of its other sizes does not fit.
void work_items_can_be_counted(const wanted_launch& launch) {
  const std::uint64_t(&global)[3] = launch.geometry.global_range;
  if (global[0] == 0 || global[1] == 0 || global[2] == 0) return;
  std::uint64_t items = 1;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(items, global[i], &items) ||
        __builtin_add_overflow(global[i], launch.geometry.global_offset[i], &end)) {
      launch.refuse(errc::nd_range, "the range " + launch.text_of(global) +
                                        " has more work-items than 64 bits can count");
    }
  }
}

void groups_divide_range(const wanted_launch& launch) {
  const std::uint64_t(&global)[3] = launch.geometry.global_range;
  const std::uint64_t(&local)[3] = launch.geometry.local_range;
  for (int i = 0; i < 3; ++i) {
    if (local[i] == 0) launch.refuse(errc::nd_range, "the local range has a size of 0");
    if (global[i] % local[i] == 0) continue;
    launch.refuse(errc::nd_range, "the local range " + launch.text_of(local) + " does not divide the global range " +
                                      launch.text_of(global) +
                                      "; round the global range up and let the kernel skip the rest");
  }
}

void group_fits_device(const wanted_launch& launch) {
  std::uint64_t size = 1;
  for (std::uint64_t each : launch.geometry.local_range) size = sinter::abi::multiply_bytes(size, each);
  for (std::size_t d = 0; d < 3 && size <= launch.device.max_work_group_size; ++d) {
    const std::uint64_t most = launch.device.most_items(d);
    if (launch.geometry.local_range[d] <= most) continue;
    launch.refuse(errc::nd_range, "the local range " + launch.text_of(launch.geometry.local_range) +
                                      " has more work-items in one dimension than the device's limit of " +
                                      std::to_string(most) + " there (info::device::max_work_item_sizes)");
  }
  if (size <= launch.device.max_work_group_size) return;
  launch.refuse(errc::nd_range, "a work-group of " + sinter::count_text(size) +
                                    " work-items is larger than the device's limit of " +
                                    std::to_string(launch.device.max_work_group_size) +
                                    " (info::device::max_work_group_size)");
}

void group_is_the_required_one(const wanted_launch& launch) {
  const std::uint32_t* required = launch.kernel.required_work_group_size();
  if (!required || launch.kernel.has_own_groups() || launch.kernel.has_sizes_for_cpu()) return;
  if (const std::uint32_t count = launch.kernel.required_group_dimensions();
      count != 0 && count != launch.descriptor.dimensions) {
    launch.refuse(errc::nd_range, "reqd_work_group_size has " + std::to_string(count) +
                                      (count == 1 ? " size" : " sizes") + ", the range " +
                                      std::to_string(launch.descriptor.dimensions) +
                                      (launch.descriptor.dimensions == 1 ? " dimension" : " dimensions"));
  }
  for (int i = 0; i < 3; ++i) {
    if (required[i] == launch.geometry.local_range[i]) continue;
    launch.refuse(errc::nd_range, "the local range " + launch.text_of(launch.geometry.local_range) +
                                      " is not what reqd_work_group_size says");
  }
}

/// Throws if the kernel has a barrier for all work-groups, but the work-groups can't all run at the same time. Such a
/// launch would hang: work-groups that run would wait for work-groups that can start only after them. Devices that
/// start all work-groups together check this themselves.
void groups_can_meet(const wanted_launch& launch) {
  std::uint64_t groups = 1;
  for (int i = 0; i < 3; ++i) groups *= launch.geometry.global_range[i] / launch.geometry.local_range[i];
  if (launch.device.groups_meet || groups <= 1) return;
  bool meet = (launch.kernel.flags() & sinter::abi::kernel_groups_meet) != 0;
  if (const auto functions = launch.kernel.demanding_functions()) {
    for (const sinter::called_function& each : *functions) meet |= (each.flags & sinter::abi::kernel_groups_meet) != 0;
  }
  if (!meet) return;
  launch.refuse(errc::nd_range,
                "its " + std::to_string(groups) +
                    " work-groups meet at a barrier (root_group) or have to make progress concurrently "
                    "(work_group_progress), and the device starts them one by one: there it may have 1, as "
                    "info::kernel_queue_specific::max_num_work_groups says; make the work-group larger, or "
                    "synchronize by several kernels");
}

void local_memory_fits_device(const wanted_launch& launch) {
  const std::size_t bytes = launch.local_bytes;
  if (bytes <= launch.device.local_memory_bytes) return;
  launch.refuse(errc::memory_allocation, sinter::count_text(bytes) +
                                             " bytes of local memory are more than the device's " +
                                             std::to_string(launch.device.local_memory_bytes) +
                                             " (info::device::local_mem_size); make local accessors smaller");
}

[[noreturn]] void refuse_local_memory(const wanted_launch& launch) {
  launch.refuse(errc::kernel_argument,
                "a local_accessor needs an nd_range kernel; launch it with parallel_for(nd_range, ...)");
}

/// Throws if a placeholder accessor is not bound (SYCL 2020 4.7.6.9). A kernel without an image is not checked, because
/// it is unknown where its function object has accessors.
void placeholders_are_bound(const wanted_launch& launch, const handler_impl& handler, const void* block) {
  const sinter::image_use keep_image(launch.descriptor);
  unsigned number = 0;
  for (const sinter::abi::image_leaf& leaf : launch.kernel.leaves()) {
    if (leaf.kind != sinter::abi::leaf_kind::accessor) continue;
    const accessor_fields accessor(block, leaf.offset, leaf.dimensions);
    if (accessor.placeholder && !handler.requires_record(accessor.record)) {
      launch.refuse(errc::kernel_argument,
                    "accessor number " + std::to_string(number) + " of its captures is a placeholder that is not bound "
                    "to this command group; call handler::require with it");
    }
    ++number;
  }
}

/// Counts a kernel that capture has refused, which therefore runs as host code, and throws in strict mode.
void kernel_is_compiled_for_devices(const wanted_launch& launch) {
  sinter::count_refused(launch.descriptor);
  if (!sinter::environment().strict) return;
  launch.refuse(errc::build,
                "it was not compiled for devices and can only run as host code; the compiler's warning "
                "(-Wbackend-plugin) says why. Without SINTER_STRICT it runs");
}

void bundle_has_kernel(const wanted_launch& launch, const handler_impl& handler) {
  const shared<kernel_bundle_impl>& bundle = handler.bundle();
  // Kernels that are built from source are launched by their own bundle, so this check is not needed.
  if ((launch.descriptor.flags & sinter::abi::descriptor_from_source) != 0) return;
  if (bundle->has(intern_kernel(launch.descriptor.type_name()))) return;
  launch.refuse(errc::kernel_not_supported,
                "it is not in the kernel bundle that the command group uses; make the bundle with its kernel_id");
}

/// Checks the rules for a launch's range and local memory. Each launch calls the function, so it is inlined.
[[gnu::always_inline]] inline void size_fits_device(const wanted_launch& launch) {
  if (!is_small(launch.geometry)) work_items_can_be_counted(launch);
  const auto& local = launch.geometry.local_range;
  // A kernel without groups can have a local range here, because an update of a node may set one.
  if (launch.has_groups() || local[0] != 1 || local[1] != 1 || local[2] != 1) {
    groups_divide_range(launch);
    group_fits_device(launch);
  }
  if (launch.has_groups()) {
    if (!launch.kernel.is_unrestricted()) {
      group_is_the_required_one(launch);
      groups_can_meet(launch);
    }
    local_memory_fits_device(launch);
  } else if (launch.local_bytes != 0) {
    refuse_local_memory(launch);
  }
}

/// Throws if the kernel captures dynamic local memory, whose size is set only in command_graph::add.
void captures_no_dynamic_memory(const wanted_launch& launch, const void* block) {
  if (dynamic_value::captured_by(launch.descriptor, block).empty()) return;
  launch.refuse(errc::invalid,
                "it captures a dynamic_local_accessor or dynamic_work_group_memory, which are for command groups of "
                "command_graph::add, not for what is submitted to a queue");
}

}  // namespace

void note_placeholder() noexcept { placeholders_exist.store(true, std::memory_order_relaxed); }

void check_group_limits(const char* kernel_type, int dimensions, const std::size_t* local,
                        const group_limits& limits) {
  std::size_t items = 1;
  bool fits = true;
  for (int d = 0; d < dimensions; ++d) {
    items = sinter::abi::multiply_bytes(items, local[d]);
    fits &= limits.dimensions == 0 || local[d] <= limits.sizes[d];
  }
  const auto refuse = [&](const std::string& size, const char* property, const std::string& most) {
    throw_error(errc::nd_range, "kernel '" + sinter::kernel_display_name(kernel_type) + "': a work-group of " + size +
                                    " work-items is larger than its property " + property + " of " + most +
                                    " allows; launch smaller work-groups, or raise the property");
  };
  const auto text = [&](const std::size_t* sizes) {
    std::string result;
    for (int d = 0; d < dimensions; ++d) result += (d == 0 ? "{" : ", ") + std::to_string(sizes[d]);
    return result + "}";
  };
  if (!fits) refuse(text(local), "max_work_group_size", text(limits.sizes));
  if (limits.linear != 0 && items > limits.linear) {
    refuse(sinter::count_text(items), "max_linear_work_group_size", std::to_string(limits.linear));
  }
}

void check_launch(const handler_impl& handler, const sinter::abi::kernel_descriptor& kernel,
                  const launch_geometry& geometry, const void* block) {
  const wanted_launch launch{kernel, geometry, handler.local_bytes(), handler.queue().backend().facts()};
  if (!launch.kernel.is_unrestricted()) device_meets_requirements(launch);
  size_fits_device(launch);
  if (placeholders_exist.load(std::memory_order_relaxed)) placeholders_are_bound(launch, handler, block);
  if (!handler.is_added()) captures_no_dynamic_memory(launch, block);
  if ((kernel.flags & sinter::abi::descriptor_refused) != 0) kernel_is_compiled_for_devices(launch);
  if (handler.bundle()) bundle_has_kernel(launch, handler);
}

void check_graph_buffers(std::span<const requirement> buffers) {
  for (const requirement& each : buffers) {
    if (!mode_writes(each.mode) || !record_of(each).goes_back()) continue;
    throw_invalid("a command of a graph writes to a buffer that is written back to the host's memory; call "
                  "set_write_back(false) or set_final_data(nullptr) first");
  }
}

void check_node(const node_work& work) {
  check_graph_buffers(work.requirements);
  const sinter::kernel_launch& launch = work.launch;
  size_fits_device({*launch.kernel, launch, launch.local_memory_bytes, work.kernel->held.backend.facts()});
}

}  // namespace sycl::detail
