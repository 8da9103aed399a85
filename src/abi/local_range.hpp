#pragma once
/// The size of work-groups, where code is made for one.

#include <array>
#include <cstdint>

namespace sinter::abi {

/// Padded SYCL order; all 0: any.
using local_range = std::array<std::uint64_t, 3>;

}  // namespace sinter::abi
