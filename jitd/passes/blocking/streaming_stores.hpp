#pragma once
/// Makes stores bypass the caches, for launches whose data would displace everything else in the caches. A line that is
/// written completely then need not be read before.
///
/// Input: a wide function (wide_function.hpp).
/// Output: a copy of the function whose consecutive full-width stores, outside of loops and to memory that the function
///   does not read, are non-temporal if their address allows it, or in parts of 16 bytes if it allows only these. There
///   is no copy if the function has no such store, or several. Code that runs the copy ends with a store fence. The
///   wide function stays unchanged, for launches whose data fit the caches.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

struct streaming_form {
  llvm::Function* function = nullptr;
  std::uint64_t bytes_per_item = 0;  ///< bytes that a work-item reads and writes; each array counts once
  std::uint64_t store_bytes = 0;     ///< bytes that all lanes store past the caches
};

streaming_form make_streaming(llvm::Function& wide, unsigned lanes);

}  // namespace sinter::passes
