#pragma once
/// The last member of a fusion_request may be one that only runs behind the others, in a launch of its own. It is there
/// to show what it overwrites: of that, the others need not write what it does not read.

#include <cstdint>

#include "launch_abi.hpp"

namespace sinter::abi {

/// Bits of fusion_pointer::unobservable.
inline constexpr std::uint32_t is_unobservable = 1, runs_behind = 2;

/// Whether the last member does. It has a pointer then, for others share memory with it.
inline bool last_runs_behind(const fusion_request& request) {
  for (std::uint32_t i = 0; i < request.pointer_count; ++i) {
    const fusion_pointer& each = request.pointers[i];
    if (each.member + 1 == request.member_count && (each.unobservable & runs_behind) != 0) return true;
  }
  return false;
}

}  // namespace sinter::abi
