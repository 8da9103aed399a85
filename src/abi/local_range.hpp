#pragma once
/// The size of work-groups for which code is made, if it is made for one size.

#include <array>
#include <cstdint>

namespace sinter::abi {

/// Padded SYCL order; all 0: any.
using local_range = std::array<std::uint64_t, 3>;

}  // namespace sinter::abi
