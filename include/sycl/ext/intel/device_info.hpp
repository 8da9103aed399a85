#pragma once
/// Of sycl_ext_intel_device_info what programs print: descriptors for device::get_info. No device has the aspects that
/// go with them: errc::feature_not_supported, but for free_memory of CPUs.

#include <cstdint>
#include <string>

#include "../../device.hpp"
#include "../../exception.hpp"

namespace sycl {
namespace ext::intel::info::device {

/// Bytes that the operating system could give.
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

}  // namespace ext::intel::info::device

namespace detail {

/// Of the machine.
SINTER_EXPORT std::uint64_t free_host_memory();

template <class Descriptor>
[[noreturn]] typename Descriptor::return_type refuse_intel_info(const device& device, const char* name) {
  throw exception(make_error_code(errc::feature_not_supported), "device '" + device.get_info<info::device::name>() +
                                                                    "' does not say ext::intel::info::device::" + name);
}

}  // namespace detail

template <>
inline std::uint64_t device::get_info<ext::intel::info::device::free_memory>() const {
  if (get_backend() == backend::sinter_cpu) return detail::free_host_memory();
  detail::refuse_intel_info<ext::intel::info::device::free_memory>(*this, "free_memory");
}
template <>
inline std::uint32_t device::get_info<ext::intel::info::device::memory_clock_rate>() const {
  detail::refuse_intel_info<ext::intel::info::device::memory_clock_rate>(*this, "memory_clock_rate");
}
template <>
inline std::uint32_t device::get_info<ext::intel::info::device::memory_bus_width>() const {
  detail::refuse_intel_info<ext::intel::info::device::memory_bus_width>(*this, "memory_bus_width");
}
template <>
inline std::string device::get_info<ext::intel::info::device::pci_address>() const {
  detail::refuse_intel_info<ext::intel::info::device::pci_address>(*this, "pci_address");
}

}  // namespace sycl
