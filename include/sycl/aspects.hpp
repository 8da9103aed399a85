#pragma once
/// Device aspects (SYCL 2020 4.6.4.5).

#include <cstdint>
#include <type_traits>

namespace sycl::inline _V1 {

/// Values up to 60 equal DPC++'s values, except those of the clock aspects: DPC++ uses these values for mipmaps. Larger
/// values differ between versions of DPC++. A kernel can require only aspects with values up to 62.
enum class aspect : std::uint32_t {
  cpu = 1,
  gpu = 2,
  accelerator = 3,
  custom = 4,
  fp16 = 5,  ///< kernels may use sycl::half
  fp64 = 6,  ///< kernels may use double
  image = 9,
  online_compiler = 10,
  online_linker = 11,
  queue_profiling = 12,
  usm_device_allocations = 13,
  usm_host_allocations = 14,
  usm_shared_allocations = 15,
  usm_system_allocations = 17,
  ext_intel_pci_address = 18,  ///< device::get_info has ext::intel::info::device::pci_address
  ext_intel_gpu_eu_count = 19,
  ext_intel_gpu_eu_simd_width = 20,
  ext_intel_gpu_slices = 21,
  ext_intel_gpu_subslices_per_slice = 22,
  ext_intel_gpu_eu_count_per_subslice = 23,
  ext_intel_max_mem_bandwidth = 24,
  usm_atomic_host_allocations = 26,
  usm_atomic_shared_allocations = 27,
  atomic64 = 28,  ///< kernels may use atomic operations on 64 bits
  ext_intel_device_info_uuid = 29,
  host_debuggable = 32,
  ext_intel_gpu_hw_threads_per_eu = 33,
  ext_oneapi_bfloat16_math_functions = 35,
  ext_intel_free_memory = 36,
  ext_intel_device_id = 37,
  ext_intel_memory_clock_rate = 38,
  ext_intel_memory_bus_width = 39,
  emulated = 40,
  ext_intel_legacy_image = 41,  ///< kernels may use images of SYCL 1.2.1
  ext_oneapi_bindless_images = 42,             ///< bindless images may lie in memory of alloc_image_mem
  ext_oneapi_bindless_images_shared_usm = 43,  ///< bindless images may lie in shared USM memory
  ext_oneapi_bindless_images_1d_usm = 44,
  ext_oneapi_bindless_images_2d_usm = 45,
  ext_oneapi_external_memory_import = 46,
  ext_oneapi_external_semaphore_import = 48,
  ext_oneapi_mipmap = 50,
  ext_oneapi_mipmap_anisotropy = 51,
  ext_oneapi_mipmap_level_reference = 52,
  ext_intel_esimd = 53,  ///< no device has this aspect
  ext_oneapi_ballot_group = 54,
  ext_oneapi_fixed_size_group = 55,
  ext_oneapi_opportunistic_group = 56,
  ext_oneapi_tangle_group = 57,
  ext_intel_matrix = 58,  ///< no device has this aspect
  ext_oneapi_is_composite = 59,  ///< no device has this aspect
  ext_oneapi_is_component = 60,  ///< no device has this aspect
  ext_oneapi_graph = 61,          ///< the device supports all of sycl_ext_oneapi_graph
  ext_oneapi_limited_graph = 62,  ///< the device supports graphs without updates of executable graphs
  ext_oneapi_cubemap = 64,
  ext_oneapi_cubemap_seamless_filtering = 65,
  ext_oneapi_bindless_sampled_image_fetch_1d_usm = 66,
  ext_oneapi_bindless_sampled_image_fetch_1d = 67,
  ext_oneapi_bindless_sampled_image_fetch_2d_usm = 68,
  ext_oneapi_bindless_sampled_image_fetch_2d = 69,
  ext_oneapi_bindless_sampled_image_fetch_3d = 70,
  ext_oneapi_image_array = 71,
  ext_oneapi_unique_addressing_per_dim = 72,
  ext_oneapi_bindless_images_sample_1d_usm = 73,
  ext_oneapi_bindless_images_sample_2d_usm = 74,
  ext_oneapi_bindless_images_gather = 75,
  ext_oneapi_clock_sub_group = 80,
  ext_oneapi_clock_work_group = 81,
  ext_oneapi_clock_device = 82,
  ext_oneapi_queue_profiling_tag = 83,
  ext_oneapi_virtual_mem = 84,
  ext_oneapi_async_memory_alloc = 85,
  ext_sinter_ptx = 100,  ///< kernels may contain inline PTX assembly for NVIDIA's GPUs
};

/// any_device_has: some device may have the aspect. all_devices_have: every device certainly has the aspect. Programs
/// are compiled before the devices are known, so any_device_has is always true and all_devices_have is always false.
template <aspect Aspect>
struct any_device_has : std::true_type {};
template <aspect Aspect>
inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect>
struct all_devices_have : std::false_type {};
template <aspect Aspect>
inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl
