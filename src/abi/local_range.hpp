#pragma once
/// The size of work-groups, for code that is made for one size only.

#include <array>
#include <cstdint>

namespace sinter::abi {

/// The sizes are in padded SYCL order. All 0: the code is for any size.
using local_range = std::array<std::uint64_t, 3>;

}  // namespace sinter::abi
