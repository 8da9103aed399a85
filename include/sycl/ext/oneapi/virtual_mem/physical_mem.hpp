#pragma once
/// sycl_ext_oneapi_virtual_mem: memory of a device. The memory has no address until the program maps it. Only the CPU
/// device supports this extension, because only this device uses the addresses of the process.

#include <cstddef>
#include <cstdint>

#include "../../../context.hpp"
#include "../../../detail/export.hpp"
#include "../../../detail/shared.hpp"
#include "../../../device.hpp"
#include "../../../queue.hpp"

#define SYCL_EXT_ONEAPI_VIRTUAL_MEM 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class address_access_mode : char { none, read, read_write };

/// Copies of the object refer to the same memory. The memory is freed when all copies of the object and all mappings of
/// the memory are gone.
class SINTER_EXPORT physical_mem {
public:
  /// Throws errc::invalid if `bytes` is 0 or not a multiple of get_mem_granularity, or if the device is not in the
  /// context. Throws errc::feature_not_supported if the device lacks aspect::ext_oneapi_virtual_mem, and
  /// errc::memory_allocation if there is not enough memory.
  physical_mem(const device& its_device, const context& home, std::size_t bytes);
  physical_mem(const queue& like, std::size_t bytes) : physical_mem(like.get_device(), like.get_context(), bytes) {}

  /// Maps `bytes` bytes of this memory, from `offset` on, at an address from reserve_virtual_mem. Address, `bytes` and
  /// `offset` must be multiples of the granularity. Throws errc::invalid if one of these numbers is no such multiple,
  /// or if part of the address range is already mapped, was not reserved, or would lie behind the memory's end.
  void* map(std::uintptr_t address, std::size_t bytes, address_access_mode mode, std::size_t offset = 0) const;
  void* map(std::uintptr_t address, std::size_t bytes, std::size_t offset = 0) const {
    return map(address, bytes, address_access_mode::none, offset);
  }

  context get_context() const;
  device get_device() const;
  std::size_t size() const noexcept;
  friend bool operator==(const physical_mem& a, const physical_mem& b) noexcept { return a.m_memory == b.m_memory; }
  friend bool operator!=(const physical_mem& a, const physical_mem& b) noexcept { return !(a == b); }

private:
  detail::shared<detail::counted> m_memory;
};

}  // namespace sycl::ext::oneapi::experimental
