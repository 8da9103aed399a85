#pragma once
/// All USM allocations of the process, by address.

#include <cstddef>
#include <optional>
#include <span>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/usm.hpp>

namespace sycl::inline _V1::detail {

struct usm_allocation {
  std::size_t bytes;
  usm::alloc kind;
  std::optional<device> owner;
  context home;
};

void note_usm_allocation(const void* start, usm_allocation allocation);
/// Removes the allocation that starts at the address. Does nothing if no allocation starts at this address.
std::optional<usm_allocation> forget_usm_allocation(const void* start);
/// The allocation that contains the address.
std::optional<usm_allocation> usm_allocation_of(const void* address);
/// The whole memory of the allocation that contains an address; empty: no allocation contains it.
std::span<const char> find_usm_allocation(const void* address);
/// With SINTER_CHECK=memory: throws errc::invalid if memory of USM ends before these bytes. `name` and `end` say which
/// command uses these bytes, and how.
void check_usm_end(const char* name, const char* end, const void* begin, std::size_t bytes);

}  // namespace sycl::detail
