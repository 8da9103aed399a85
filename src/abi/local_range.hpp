#pragma once
/// The size of the work-groups for which code is made.

#include <array>
#include <cstdint>

namespace sinter::abi {

/// The sizes are in padded SYCL order. All 0: the code is for any size.
using local_range = std::array<std::uint64_t, 3>;

}  // namespace sinter::abi
