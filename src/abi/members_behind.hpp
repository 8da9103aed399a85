#pragma once
/// The last member of a fusion_request may be a kernel that is not fused: it runs after the fused members, in a launch
/// of its own. The request contains this member because the kernel may overwrite memory without reading it. In this
/// case, the fused members need not write their results to this memory.

#include <cstdint>

#include "launch_abi.hpp"

namespace sinter::abi {

/// Bits of fusion_pointer::unobservable.
inline constexpr std::uint32_t is_unobservable = 1, runs_behind = 2;

/// Returns whether the last member runs after the fused members. Such a member has at least one pointer, because the
/// member shares memory with the fused members.
inline bool last_runs_behind(const fusion_request& request) {
  for (std::uint32_t i = 0; i < request.pointer_count; ++i) {
    const fusion_pointer& each = request.pointers[i];
    if (each.member + 1 == request.member_count && (each.unobservable & runs_behind) != 0) return true;
  }
  return false;
}

}  // namespace sinter::abi
