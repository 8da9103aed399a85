#pragma once
/// The size of work-groups for which code is made, if the code is made for one size.

#include <array>
#include <cstdint>

namespace sinter::abi {

/// The sizes are in padded SYCL order; all 0: code is for any size.
using local_range = std::array<std::uint64_t, 3>;

}  // namespace sinter::abi
