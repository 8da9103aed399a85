#pragma once
/// sycl_ext_oneapi_work_group_scratch_memory: memory that the work-items of a group share. A property of the launch
/// sets the size. The memory is not an argument: kernels call a function to get its address.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../../detail/export.hpp"
#include "../../detail/kernel_properties.hpp"
#include "kernel_properties/properties.hpp"

#define SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// The number of bytes for each work-group of the launch. The launch must have an nd_range. A launch whose local memory
/// exceeds info::device::local_mem_size in total throws errc::memory_allocation.
struct work_group_scratch_size {
  constexpr work_group_scratch_size(std::size_t bytes) noexcept : value(bytes) {}
  std::size_t value;
  using key_t = work_group_scratch_size;
};
using work_group_scratch_size_key = work_group_scratch_size;
template <>
struct is_property_key<work_group_scratch_size_key> : std::true_type {};
template <>
struct is_property_value<work_group_scratch_size> : std::true_type {};

/// Returns the memory of the calling work-item's group, aligned to 64 bytes. All calls in a work-group return the same
/// memory. Only kernels that are launched with work_group_scratch_size may call it.
SINTER_DEVICE_INLINE void* get_work_group_scratch_memory() noexcept {
  return static_cast<char*>(__sinter_local_base()) + *detail::scratch_offset();
}

}  // namespace sycl::ext::oneapi::experimental
