#pragma once
/// The number of work-items of a range.

#include <cstdint>

namespace sinter::abi {

/// Returns the number of all work-items of a global range or of a work-group. Sizes are padded with ones in front.
constexpr std::uint64_t work_items(const std::uint64_t (&range)[3]) noexcept { return range[0] * range[1] * range[2]; }

}  // namespace sinter::abi
