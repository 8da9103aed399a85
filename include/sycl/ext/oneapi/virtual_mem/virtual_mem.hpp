#pragma once
/// sycl_ext_oneapi_virtual_mem: reserves ranges of addresses, at which the program maps physical_mem.

#include <cstddef>
#include <cstdint>

#include "physical_mem.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class granularity_mode : char { minimum, recommended };

/// Returns the granularity in bytes: addresses and sizes have to be multiples of it. Throws errc::feature_not_supported
/// if the device lacks aspect::ext_oneapi_virtual_mem.
SINTER_EXPORT std::size_t get_mem_granularity(const device& its_device, const context& home,
                                              granularity_mode mode = granularity_mode::recommended);
inline std::size_t get_mem_granularity(const queue& like, granularity_mode mode = granularity_mode::recommended) {
  return get_mem_granularity(like.get_device(), like.get_context(), mode);
}
inline std::size_t get_mem_granularity(const physical_mem& memory,
                                       granularity_mode mode = granularity_mode::recommended) {
  return get_mem_granularity(memory.get_device(), memory.get_context(), mode);
}

/// Reserves a range of addresses that nothing else uses: the range at `start` if it is free, otherwise another range.
/// Throws errc::invalid if `start` or `bytes` is not a multiple of the granularity, or if `bytes` is 0. Throws
/// errc::feature_not_supported if a device of the context lacks the aspect, and errc::memory_allocation if no range of
/// that size is free.
SINTER_EXPORT std::uintptr_t reserve_virtual_mem(std::uintptr_t start, std::size_t bytes, const context& home);
inline std::uintptr_t reserve_virtual_mem(std::size_t bytes, const context& home) {
  return reserve_virtual_mem(0, bytes, home);
}
/// Frees a reserved range. Throws errc::invalid if the range is not a whole reserved range, or if it has mappings.
SINTER_EXPORT void free_virtual_mem(std::uintptr_t start, std::size_t bytes, const context& home);

// These functions throw errc::invalid if the range is not a whole mapping.
SINTER_EXPORT void set_access_mode(const void* start, std::size_t bytes, address_access_mode mode,
                                   const context& home);
SINTER_EXPORT address_access_mode get_access_mode(const void* start, std::size_t bytes, const context& home);
/// Removes a mapping. All commands that use the mapping must be complete.
SINTER_EXPORT void unmap(const void* start, std::size_t bytes, const context& home);

}  // namespace sycl::ext::oneapi::experimental
