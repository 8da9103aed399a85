#pragma once
/// Tile registers (AMX) are large, so Linux gives them only to processes that ask (arch_prctl,
/// Documentation/arch/x86/xstate).

#if defined(__x86_64__)
#include <unistd.h>
#endif

namespace sinter::abi {

/// Asks Linux once. Returns false if the processor or system lacks tiles, or the program's signal stacks are too small.
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
