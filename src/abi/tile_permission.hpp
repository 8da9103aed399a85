#pragma once
/// Tile registers (AMX) are large. So Linux lets a process use them only after it has requested them (arch_prctl,
/// Documentation/arch/x86/xstate).

#if defined(__x86_64__)
#include <unistd.h>
#endif

namespace sinter::abi {

/// Requests the tile registers once. Returns false if the processor or the system does not support them, or if the
/// program's signal stacks are too small.
inline bool may_use_tiles() noexcept {
#if defined(__x86_64__)
  constexpr long arch_prctl_call = 158, request_state = 0x1023, tile_data = 18;
  static const bool may = syscall(arch_prctl_call, request_state, tile_data) == 0;
  return may;
#else
  return false;
#endif
}

}  // namespace sinter::abi
