#pragma once
/// Aspects as messages and tools call them.

#include <abi/image_format.hpp>

#include <sycl/aspects.hpp>

namespace sinter {

inline constexpr struct {
  sycl::aspect which;
  const char* name;
} aspect_names[] = {
    {sycl::aspect::cpu, "cpu"},
    {sycl::aspect::gpu, "gpu"},
    {sycl::aspect::accelerator, "accelerator"},
    {sycl::aspect::custom, "custom"},
    {sycl::aspect::emulated, "emulated"},
    {sycl::aspect::host_debuggable, "host_debuggable"},
    {sycl::aspect::fp16, "fp16"},
    {sycl::aspect::fp64, "fp64"},
    {sycl::aspect::atomic64, "atomic64"},
    {sycl::aspect::image, "image"},
    {sycl::aspect::online_compiler, "online_compiler"},
    {sycl::aspect::online_linker, "online_linker"},
    {sycl::aspect::queue_profiling, "queue_profiling"},
    {sycl::aspect::usm_device_allocations, "usm_device_allocations"},
    {sycl::aspect::usm_host_allocations, "usm_host_allocations"},
    {sycl::aspect::usm_atomic_host_allocations, "usm_atomic_host_allocations"},
    {sycl::aspect::usm_shared_allocations, "usm_shared_allocations"},
    {sycl::aspect::usm_atomic_shared_allocations, "usm_atomic_shared_allocations"},
    {sycl::aspect::usm_system_allocations, "usm_system_allocations"},
    {sycl::aspect::ext_oneapi_graph, "ext_oneapi_graph"},
    {sycl::aspect::ext_oneapi_limited_graph, "ext_oneapi_limited_graph"},
};

static_assert(static_cast<std::uint32_t>(sycl::aspect::fp16) == abi::aspect_fp16 &&
              static_cast<std::uint32_t>(sycl::aspect::fp64) == abi::aspect_fp64 &&
              static_cast<std::uint32_t>(sycl::aspect::atomic64) == abi::aspect_atomic64);

} // namespace sinter
