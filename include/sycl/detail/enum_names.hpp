#pragma once
/// Output operators for the standard library's streams, which write the names of enumerators.

#include <iosfwd>

#include "../aspects.hpp"
#include "../backend_enum.hpp"
#include "../info.hpp"
#include "../usm.hpp"

namespace sycl::inline _V1 {
namespace detail {

#define SINTER_NAME(type, name) \
  case type::name:              \
    return #name;
constexpr const char* name_of(backend value) noexcept {
  switch (value) {
    SINTER_NAME(backend, sinter_cpu)
    SINTER_NAME(backend, opencl)
    SINTER_NAME(backend, ext_oneapi_level_zero)
    SINTER_NAME(backend, ext_oneapi_cuda)
    SINTER_NAME(backend, ext_oneapi_hip)
    SINTER_NAME(backend, ext_oneapi_native_cpu)
    SINTER_NAME(backend, level_zero)
    SINTER_NAME(backend, cuda)
    SINTER_NAME(backend, hip)
    SINTER_NAME(backend, omp)
    SINTER_NAME(backend, all)
    SINTER_NAME(backend, ext_intel_esimd_emulator)
  }
  return "unknown";
}
constexpr const char* name_of(info::device_type value) noexcept {
  switch (value) {
    SINTER_NAME(info::device_type, cpu)
    SINTER_NAME(info::device_type, gpu)
    SINTER_NAME(info::device_type, accelerator)
    SINTER_NAME(info::device_type, custom)
    SINTER_NAME(info::device_type, automatic)
    SINTER_NAME(info::device_type, host)
    SINTER_NAME(info::device_type, all)
  }
  return "unknown";
}
constexpr const char* name_of(usm::alloc value) noexcept {
  switch (value) {
    SINTER_NAME(usm::alloc, host)
    SINTER_NAME(usm::alloc, device)
    SINTER_NAME(usm::alloc, shared)
    SINTER_NAME(usm::alloc, unknown)
  }
  return "unknown";
}
constexpr const char* name_of(aspect value) noexcept {
  switch (value) {
    SINTER_NAME(aspect, cpu)
    SINTER_NAME(aspect, gpu)
    SINTER_NAME(aspect, accelerator)
    SINTER_NAME(aspect, custom)
    SINTER_NAME(aspect, fp16)
    SINTER_NAME(aspect, fp64)
    SINTER_NAME(aspect, image)
    SINTER_NAME(aspect, online_compiler)
    SINTER_NAME(aspect, online_linker)
    SINTER_NAME(aspect, queue_profiling)
    SINTER_NAME(aspect, usm_device_allocations)
    SINTER_NAME(aspect, usm_host_allocations)
    SINTER_NAME(aspect, usm_shared_allocations)
    SINTER_NAME(aspect, usm_system_allocations)
    SINTER_NAME(aspect, ext_intel_pci_address)
    SINTER_NAME(aspect, ext_intel_gpu_eu_count)
    SINTER_NAME(aspect, ext_intel_gpu_eu_simd_width)
    SINTER_NAME(aspect, ext_intel_gpu_slices)
    SINTER_NAME(aspect, ext_intel_gpu_subslices_per_slice)
    SINTER_NAME(aspect, ext_intel_gpu_eu_count_per_subslice)
    SINTER_NAME(aspect, ext_intel_max_mem_bandwidth)
    SINTER_NAME(aspect, usm_atomic_host_allocations)
    SINTER_NAME(aspect, usm_atomic_shared_allocations)
    SINTER_NAME(aspect, atomic64)
    SINTER_NAME(aspect, ext_intel_device_info_uuid)
    SINTER_NAME(aspect, host_debuggable)
    SINTER_NAME(aspect, ext_intel_gpu_hw_threads_per_eu)
    SINTER_NAME(aspect, ext_oneapi_bfloat16_math_functions)
    SINTER_NAME(aspect, ext_intel_free_memory)
    SINTER_NAME(aspect, ext_intel_device_id)
    SINTER_NAME(aspect, ext_intel_memory_clock_rate)
    SINTER_NAME(aspect, ext_intel_memory_bus_width)
    SINTER_NAME(aspect, emulated)
    SINTER_NAME(aspect, ext_intel_legacy_image)
    SINTER_NAME(aspect, ext_oneapi_bindless_images)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_shared_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_1d_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_2d_usm)
    SINTER_NAME(aspect, ext_oneapi_external_memory_import)
    SINTER_NAME(aspect, ext_oneapi_external_semaphore_import)
    SINTER_NAME(aspect, ext_oneapi_mipmap)
    SINTER_NAME(aspect, ext_oneapi_mipmap_anisotropy)
    SINTER_NAME(aspect, ext_oneapi_mipmap_level_reference)
    SINTER_NAME(aspect, ext_intel_esimd)
    SINTER_NAME(aspect, ext_oneapi_ballot_group)
    SINTER_NAME(aspect, ext_oneapi_fixed_size_group)
    SINTER_NAME(aspect, ext_oneapi_opportunistic_group)
    SINTER_NAME(aspect, ext_oneapi_tangle_group)
    SINTER_NAME(aspect, ext_intel_matrix)
    SINTER_NAME(aspect, ext_oneapi_is_composite)
    SINTER_NAME(aspect, ext_oneapi_is_component)
    SINTER_NAME(aspect, ext_oneapi_graph)
    SINTER_NAME(aspect, ext_oneapi_limited_graph)
    SINTER_NAME(aspect, ext_oneapi_cubemap)
    SINTER_NAME(aspect, ext_oneapi_cubemap_seamless_filtering)
    SINTER_NAME(aspect, ext_oneapi_bindless_sampled_image_fetch_1d_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_sampled_image_fetch_1d)
    SINTER_NAME(aspect, ext_oneapi_bindless_sampled_image_fetch_2d_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_sampled_image_fetch_2d)
    SINTER_NAME(aspect, ext_oneapi_bindless_sampled_image_fetch_3d)
    SINTER_NAME(aspect, ext_oneapi_image_array)
    SINTER_NAME(aspect, ext_oneapi_unique_addressing_per_dim)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_sample_1d_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_sample_2d_usm)
    SINTER_NAME(aspect, ext_oneapi_bindless_images_gather)
    SINTER_NAME(aspect, ext_oneapi_clock_sub_group)
    SINTER_NAME(aspect, ext_oneapi_clock_work_group)
    SINTER_NAME(aspect, ext_oneapi_clock_device)
    SINTER_NAME(aspect, ext_oneapi_queue_profiling_tag)
    SINTER_NAME(aspect, ext_oneapi_virtual_mem)
    SINTER_NAME(aspect, ext_oneapi_async_memory_alloc)
    SINTER_NAME(aspect, ext_sinter_ptx)
  }
  return "unknown";
}
#undef SINTER_NAME

}  // namespace detail

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, backend value) {
  return out << detail::name_of(value);
}
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, aspect value) {
  return out << detail::name_of(value);
}
namespace info {
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, device_type value) {
  return out << detail::name_of(value);
}
}  // namespace info
namespace usm {
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, alloc value) {
  return out << detail::name_of(value);
}
}  // namespace usm

}  // namespace sycl
