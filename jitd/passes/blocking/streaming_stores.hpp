#pragma once
/// Stores that bypass the caches, for launches whose data would displace everything else in them: a line that is
/// written completely need not be read before.
///
/// Input: a wide function (wide_function.hpp).
/// Output: a copy of it whose consecutive full-width stores, outside of loops and to memory the function does not read,
///   are non-temporal where their address allows it, in parts of 16 bytes where it allows only those. None if it has no
/// such store, or several. Whoever runs it ends with a store fence. The wide function stays as it is, for launches
/// whose data fit the caches
///   the caches.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

struct streaming_form {
  llvm::Function* function = nullptr;
  std::uint64_t bytes_per_item = 0;  ///< that a work-item reads and writes; each array counts once
  std::uint64_t store_bytes = 0;     ///< of all lanes, in the store that goes past the caches
};

streaming_form make_streaming(llvm::Function& wide, unsigned lanes);

}  // namespace sinter::passes
