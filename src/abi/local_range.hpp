#pragma once
/// Code for one local range: the loader asks for it with a specialization value of its own, beside the user's.

#include <array>

#include "launch_abi.hpp"

namespace sinter::abi {

/// Padded SYCL order; all 0: any.
using local_range = std::array<std::uint64_t, 3>;

/// Keys of users are hashes, which this is not.
inline constexpr std::uint64_t local_range_key = 0;

inline specialization_table::entry describe_local_range(const local_range& range) {
  return {local_range_key, range.data(), sizeof(range)};
}

/// The one all launches of the code have.
inline local_range known_local_range(const specialization_table* constants) {
  for (std::uint32_t i = 0; constants && i < constants->count; ++i) {
    const specialization_table::entry& entry = constants->entries[i];
    if (entry.key != local_range_key || entry.size != sizeof(local_range)) continue;
    local_range range;
    __builtin_memcpy(range.data(), entry.value, sizeof(range));
    return range;
  }
  return {};
}

} // namespace sinter::abi
