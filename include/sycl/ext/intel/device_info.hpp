#pragma once
/// Of sycl_ext_intel_device_info what programs print: descriptors for device::get_info. No device has the aspects that
/// go with them: errc::feature_not_supported, but for free_memory of CPUs and NVIDIA GPUs.

#include <array>
#include <cstdint>
#include <string>

#include "../../device.hpp"
#include "../../exception.hpp"

namespace sycl {
namespace ext::intel::info::device {

/// Bytes that the operating system or the GPU's driver could give.
struct free_memory {
  using return_type = std::uint64_t;
};
/// MHz.
struct memory_clock_rate {
  using return_type = std::uint32_t;
};
/// Bits.
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
/// Bytes a second.
struct max_mem_bandwidth {
  using return_type = std::uint64_t;
};
struct uuid {
  using return_type = std::array<unsigned char, 16>;
};
/// Of PCI.
struct device_id {
  using return_type = std::uint32_t;
};
struct max_compute_queue_indices {
  using return_type = std::int32_t;
};

}  // namespace ext::intel::info::device

namespace detail {

/// 0: not known.
SINTER_EXPORT std::uint64_t free_memory(const device& of);

template <class Descriptor>
[[noreturn]] typename Descriptor::return_type refuse_intel_info(const device& device, const char* name) {
  throw_error(errc::feature_not_supported, "device '" + device.get_info<info::device::name>() +
                                               "' does not say ext::intel::info::device::" + name);
}

}  // namespace detail

template <>
inline std::uint64_t device::get_info<ext::intel::info::device::free_memory>() const {
  if (const std::uint64_t bytes = detail::free_memory(*this); bytes != 0) return bytes;
  detail::refuse_intel_info<ext::intel::info::device::free_memory>(*this, "free_memory");
}
#define SINTER_INTEL_INFO(NAME)                                                                        \
  template <>                                                                                          \
  inline ext::intel::info::device::NAME::return_type device::get_info<ext::intel::info::device::NAME>() \
      const {                                                                                          \
    detail::refuse_intel_info<ext::intel::info::device::NAME>(*this, #NAME);                           \
  }
SINTER_INTEL_INFO(memory_clock_rate)
SINTER_INTEL_INFO(memory_bus_width)
SINTER_INTEL_INFO(pci_address)
SINTER_INTEL_INFO(gpu_eu_count)
SINTER_INTEL_INFO(gpu_eu_simd_width)
SINTER_INTEL_INFO(gpu_slices)
SINTER_INTEL_INFO(gpu_subslices_per_slice)
SINTER_INTEL_INFO(gpu_eu_count_per_subslice)
SINTER_INTEL_INFO(gpu_hw_threads_per_eu)
SINTER_INTEL_INFO(max_mem_bandwidth)
SINTER_INTEL_INFO(uuid)
SINTER_INTEL_INFO(device_id)
SINTER_INTEL_INFO(max_compute_queue_indices)
#undef SINTER_INTEL_INFO

}  // namespace sycl
