#pragma once
/// Code for one local range and one layout of local memory: the loader asks for it with specialization values of its own,
/// beside the user's.

#include <array>

#include "launch_abi.hpp"

namespace sinter::abi {

/// Padded SYCL order; all 0: any.
using local_range = std::array<std::uint64_t, 3>;

/// Keys of users are hashes, which these are not.
inline constexpr std::uint64_t local_range_key = 0, local_accessors_key = 1;

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

/// The local accessors of the argument block, byte for byte, one behind the other in the order of the leaves.
inline specialization_table::entry describe_local_accessors(const void* bytes, std::uint64_t size) {
  return {local_accessors_key, bytes, size};
}

/// Those all launches of the code have; no bytes: any.
inline specialization_table::entry known_local_accessors(const specialization_table* constants) {
  for (std::uint32_t i = 0; constants && i < constants->count; ++i) {
    if (constants->entries[i].key == local_accessors_key) return constants->entries[i];
  }
  return describe_local_accessors(nullptr, 0);
}

} // namespace sinter::abi
