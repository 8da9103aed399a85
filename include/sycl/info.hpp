#pragma once
/// Information descriptors (SYCL 2020 4.6). Each descriptor is a type; get_info<Descriptor>() returns its return_type.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aspects.hpp"
#include "memory_enums.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

class context;
class device;
class platform;
class kernel_id;

namespace info {

enum class device_type : unsigned { cpu, gpu, accelerator, custom, automatic, host, all };
enum class event_command_status : int { submitted, running, complete };
enum class execution_capability : int { exec_kernel, exec_native_kernel };
enum class local_mem_type : int { none, local, global };
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class fp_config : int {
  denorm, inf_nan, round_to_nearest, round_to_zero, round_to_inf, fma, correctly_rounded_divide_sqrt, soft_float
};
enum class partition_property : int {
  no_partition, partition_equally, partition_by_counts, partition_by_affinity_domain, ext_intel_partition_by_cslice
};
enum class partition_affinity_domain : int {
  not_applicable, numa, L4_cache, L3_cache, L2_cache, L1_cache, next_partitionable
};

#define SINTER_INFO(name, ...) \
  struct name {                \
    using return_type = __VA_ARGS__; \
  }

namespace platform {
SINTER_INFO(name, std::string);
SINTER_INFO(vendor, std::string);
SINTER_INFO(version, std::string);
SINTER_INFO(profile, std::string);
SINTER_INFO(extensions, std::vector<std::string>);
} // namespace platform

namespace context {
SINTER_INFO(platform, sycl::platform);
SINTER_INFO(devices, std::vector<sycl::device>);
SINTER_INFO(atomic_memory_order_capabilities, std::vector<memory_order>);
SINTER_INFO(atomic_fence_order_capabilities, std::vector<memory_order>);
SINTER_INFO(atomic_memory_scope_capabilities, std::vector<memory_scope>);
SINTER_INFO(atomic_fence_scope_capabilities, std::vector<memory_scope>);
} // namespace context

namespace queue {
SINTER_INFO(context, sycl::context);
SINTER_INFO(device, sycl::device);
} // namespace queue

namespace event {
SINTER_INFO(command_execution_status, event_command_status);
} // namespace event

namespace event_profiling {
// Times in nanoseconds, from a clock that is never set back.
SINTER_INFO(command_submit, std::uint64_t);
SINTER_INFO(command_start, std::uint64_t);
SINTER_INFO(command_end, std::uint64_t);
} // namespace event_profiling

namespace device {
SINTER_INFO(device_type, info::device_type);
SINTER_INFO(vendor_id, std::uint32_t);
SINTER_INFO(max_compute_units, std::uint32_t);
SINTER_INFO(max_work_item_dimensions, std::uint32_t);
template <int Dimensions = 3>
SINTER_INFO(max_work_item_sizes, range<Dimensions>);
SINTER_INFO(max_work_group_size, std::size_t);
SINTER_INFO(max_num_sub_groups, std::uint32_t);
SINTER_INFO(sub_group_independent_forward_progress, bool);
SINTER_INFO(sub_group_sizes, std::vector<std::size_t>);
SINTER_INFO(preferred_vector_width_char, std::uint32_t);
SINTER_INFO(preferred_vector_width_short, std::uint32_t);
SINTER_INFO(preferred_vector_width_int, std::uint32_t);
SINTER_INFO(preferred_vector_width_long, std::uint32_t);
SINTER_INFO(preferred_vector_width_long_long, std::uint32_t);
SINTER_INFO(preferred_vector_width_float, std::uint32_t);
SINTER_INFO(preferred_vector_width_double, std::uint32_t);
SINTER_INFO(preferred_vector_width_half, std::uint32_t);
SINTER_INFO(native_vector_width_half, std::uint32_t);
SINTER_INFO(native_vector_width_char, std::uint32_t);
SINTER_INFO(native_vector_width_short, std::uint32_t);
SINTER_INFO(native_vector_width_int, std::uint32_t);
SINTER_INFO(native_vector_width_long, std::uint32_t);
SINTER_INFO(native_vector_width_long_long, std::uint32_t);
SINTER_INFO(native_vector_width_float, std::uint32_t);
SINTER_INFO(native_vector_width_double, std::uint32_t);
SINTER_INFO(max_clock_frequency, std::uint32_t);
SINTER_INFO(address_bits, std::uint32_t);
SINTER_INFO(max_mem_alloc_size, std::uint64_t);
SINTER_INFO(image_support, bool);
SINTER_INFO(max_parameter_size, std::size_t);
SINTER_INFO(mem_base_addr_align, std::uint32_t);
SINTER_INFO(half_fp_config, std::vector<fp_config>);
SINTER_INFO(single_fp_config, std::vector<fp_config>);
SINTER_INFO(double_fp_config, std::vector<fp_config>);
SINTER_INFO(global_mem_cache_type, info::global_mem_cache_type);
SINTER_INFO(global_mem_cache_line_size, std::uint32_t);
SINTER_INFO(global_mem_cache_size, std::uint64_t);
SINTER_INFO(global_mem_size, std::uint64_t);
SINTER_INFO(local_mem_type, info::local_mem_type);
SINTER_INFO(local_mem_size, std::uint64_t);
SINTER_INFO(error_correction_support, bool);
SINTER_INFO(host_unified_memory, bool);
SINTER_INFO(atomic_memory_order_capabilities, std::vector<memory_order>);
SINTER_INFO(atomic_fence_order_capabilities, std::vector<memory_order>);
SINTER_INFO(atomic_memory_scope_capabilities, std::vector<memory_scope>);
SINTER_INFO(atomic_fence_scope_capabilities, std::vector<memory_scope>);
SINTER_INFO(profiling_timer_resolution, std::size_t);
SINTER_INFO(is_endian_little, bool);
SINTER_INFO(is_available, bool);
SINTER_INFO(is_compiler_available, bool);
SINTER_INFO(is_linker_available, bool);
SINTER_INFO(queue_profiling, bool);
// Deprecated descriptors, which aspects of the same names replace.
SINTER_INFO(usm_device_allocations, bool);
SINTER_INFO(usm_host_allocations, bool);
SINTER_INFO(usm_shared_allocations, bool);
SINTER_INFO(usm_restricted_shared_allocations, bool);
SINTER_INFO(usm_system_allocations, bool);
SINTER_INFO(platform, sycl::platform);
SINTER_INFO(name, std::string);
SINTER_INFO(vendor, std::string);
SINTER_INFO(driver_version, std::string);
SINTER_INFO(profile, std::string);
SINTER_INFO(version, std::string);
SINTER_INFO(backend_version, std::string);
SINTER_INFO(aspects, std::vector<aspect>);
SINTER_INFO(extensions, std::vector<std::string>);
SINTER_INFO(partition_properties, std::vector<partition_property>);
SINTER_INFO(partition_affinity_domains, std::vector<partition_affinity_domain>);
SINTER_INFO(partition_max_sub_devices, std::uint32_t);
SINTER_INFO(partition_type_property, partition_property);
SINTER_INFO(partition_type_affinity_domain, partition_affinity_domain);
SINTER_INFO(parent_device, sycl::device);
SINTER_INFO(built_in_kernel_ids, std::vector<kernel_id>);
SINTER_INFO(max_read_image_args, std::uint32_t);
SINTER_INFO(max_write_image_args, std::uint32_t);
SINTER_INFO(max_samplers, std::uint32_t);
SINTER_INFO(image2d_max_width, std::size_t);
SINTER_INFO(image2d_max_height, std::size_t);
SINTER_INFO(image3d_max_width, std::size_t);
SINTER_INFO(image3d_max_height, std::size_t);
SINTER_INFO(image3d_max_depth, std::size_t);
SINTER_INFO(image_max_buffer_size, std::size_t);
// Descriptors that are deprecated or no longer exist in SYCL 2020.
SINTER_INFO(reference_count, std::uint32_t);
SINTER_INFO(built_in_kernels, std::vector<std::string>);
SINTER_INFO(execution_capabilities, std::vector<execution_capability>);
SINTER_INFO(max_constant_args, std::uint32_t);
SINTER_INFO(max_constant_buffer_size, std::uint64_t);
SINTER_INFO(printf_buffer_size, std::size_t);
SINTER_INFO(preferred_interop_user_sync, bool);
} // namespace device

namespace kernel {
SINTER_INFO(num_args, std::uint32_t);
SINTER_INFO(attributes, std::string);
} // namespace kernel

namespace kernel_device_specific {
SINTER_INFO(global_work_size, range<3>);
SINTER_INFO(work_group_size, std::size_t);
SINTER_INFO(compile_work_group_size, range<3>);
SINTER_INFO(preferred_work_group_size_multiple, std::size_t);
SINTER_INFO(private_mem_size, std::size_t);
SINTER_INFO(max_num_sub_groups, std::uint32_t);
SINTER_INFO(compile_num_sub_groups, std::uint32_t);
SINTER_INFO(max_sub_group_size, std::uint32_t);
SINTER_INFO(compile_sub_group_size, std::uint32_t);
} // namespace kernel_device_specific

#undef SINTER_INFO
} // namespace info
} // namespace sycl
