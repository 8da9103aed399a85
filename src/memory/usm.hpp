#pragma once
/// What the runtime asks about USM memory.

#include <span>

namespace sycl::detail {

/// The whole allocation an address lies in; empty when it lies in none.
std::span<const char> find_usm_allocation(const void* address);

} // namespace sycl::detail
