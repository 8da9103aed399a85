#pragma once
/// Descriptors of sycl_ext_intel_device_info for device::get_info. Only the descriptors that programs commonly print
/// are declared. If a descriptor belongs to an aspect (aspect::ext_intel_...) that the device lacks, the query throws
/// errc::feature_not_supported. CPUs support free_memory and device_id. NVIDIA GPUs also support pci_address, uuid, and
/// the clock and bus width of their memory. OpenCL devices support the values that extensions of their driver return.
/// Descriptors of the parts of Intel's GPUs are not supported.

#include <array>
#include <cstdint>
#include <string>

#include "../../device.hpp"
#include "../../exception.hpp"

#define SYCL_EXT_INTEL_DEVICE_INFO 6

namespace sycl::inline _V1 {
namespace ext::intel::info::device {

/// Free memory in bytes, as the operating system or the GPU's driver reports it.
struct free_memory {
  using return_type = std::uint64_t;
};
/// The memory clock in MHz.
struct memory_clock_rate {
  using return_type = std::uint32_t;
};
/// The width of the memory bus in bits.
struct memory_bus_width {
  using return_type = std::uint32_t;
};
struct pci_address {
  using return_type = std::string;
};
struct gpu_eu_count {
  using return_type = std::uint32_t;
};
struct gpu_eu_simd_width {
  using return_type = std::uint32_t;
};
struct gpu_slices {
  using return_type = std::uint32_t;
};
struct gpu_subslices_per_slice {
  using return_type = std::uint32_t;
};
struct gpu_eu_count_per_subslice {
  using return_type = std::uint32_t;
};
struct gpu_hw_threads_per_eu {
  using return_type = std::uint32_t;
};
/// The maximum memory bandwidth in bytes per second.
struct max_mem_bandwidth {
  using return_type = std::uint64_t;
};
struct uuid {
  using return_type = std::array<unsigned char, 16>;
};
/// The device id of a PCI device. For CPUs, the family, model and stepping, as CPUID returns them.
struct device_id {
  using return_type = std::uint32_t;
};
struct max_compute_queue_indices {
  using return_type = std::int32_t;
};

}  // namespace ext::intel::info::device

/// Names that earlier versions of the extension had. Migrated programs use them.
namespace info::device {
using ext_intel_pci_address = ext::intel::info::device::pci_address;
using ext_intel_gpu_eu_count = ext::intel::info::device::gpu_eu_count;
using ext_intel_gpu_eu_simd_width = ext::intel::info::device::gpu_eu_simd_width;
using ext_intel_gpu_slices = ext::intel::info::device::gpu_slices;
using ext_intel_gpu_subslices_per_slice = ext::intel::info::device::gpu_subslices_per_slice;
using ext_intel_gpu_eu_count_per_subslice = ext::intel::info::device::gpu_eu_count_per_subslice;
using ext_intel_gpu_hw_threads_per_eu = ext::intel::info::device::gpu_hw_threads_per_eu;
using ext_intel_max_mem_bandwidth = ext::intel::info::device::max_mem_bandwidth;
}  // namespace info::device

namespace detail {

/// These functions return 0 if the value is not known.
SINTER_EXPORT std::uint64_t free_memory(const device& of);
enum class intel_fact { device_id, memory_clock_rate, memory_bus_width, max_mem_bandwidth };
SINTER_EXPORT std::uint64_t intel_number(const device& of, intel_fact which);
/// The result is empty if the address is not known.
SINTER_EXPORT std::string pci_address(const device& of);
/// All bytes of the result are 0 if the id is not known.
SINTER_EXPORT std::array<unsigned char, 16> device_uuid(const device& of);

[[noreturn]] SINTER_EXPORT void refuse_intel_info(const device& device, const char* name);

}  // namespace detail

template <>
inline std::uint64_t device::get_info<ext::intel::info::device::free_memory>() const {
  if (const std::uint64_t bytes = detail::free_memory(*this); bytes != 0) return bytes;
  detail::refuse_intel_info(*this, "free_memory");
}
template <>
inline std::string device::get_info<ext::intel::info::device::pci_address>() const {
  if (std::string address = detail::pci_address(*this); !address.empty()) return address;
  detail::refuse_intel_info(*this, "pci_address");
}
template <>
inline std::array<unsigned char, 16> device::get_info<ext::intel::info::device::uuid>() const {
  const std::array<unsigned char, 16> bytes = detail::device_uuid(*this);
  for (const unsigned char each : bytes) {
    if (each != 0) return bytes;
  }
  detail::refuse_intel_info(*this, "uuid");
}
#define SINTER_INTEL_INFO(NAME)                                                                                  \
  template <>                                                                                                    \
  inline ext::intel::info::device::NAME::return_type device::get_info<ext::intel::info::device::NAME>() const {  \
    const std::uint64_t value = detail::intel_number(*this, detail::intel_fact::NAME);                           \
    if (value == 0) detail::refuse_intel_info(*this, #NAME);                                                     \
    return static_cast<ext::intel::info::device::NAME::return_type>(value);                                      \
  }
SINTER_INTEL_INFO(device_id)
SINTER_INTEL_INFO(memory_clock_rate)
SINTER_INTEL_INFO(memory_bus_width)
SINTER_INTEL_INFO(max_mem_bandwidth)
#undef SINTER_INTEL_INFO
#define SINTER_INTEL_INFO(NAME)                                                                                  \
  template <>                                                                                                    \
  inline ext::intel::info::device::NAME::return_type device::get_info<ext::intel::info::device::NAME>() const {  \
    detail::refuse_intel_info(*this, #NAME);                                                                     \
  }
SINTER_INTEL_INFO(gpu_eu_count)
SINTER_INTEL_INFO(gpu_eu_simd_width)
SINTER_INTEL_INFO(gpu_slices)
SINTER_INTEL_INFO(gpu_subslices_per_slice)
SINTER_INTEL_INFO(gpu_eu_count_per_subslice)
SINTER_INTEL_INFO(gpu_hw_threads_per_eu)
SINTER_INTEL_INFO(max_compute_queue_indices)
#undef SINTER_INTEL_INFO

}  // namespace sycl
