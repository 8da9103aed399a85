#pragma once
/// Makes stores bypass the caches, for launches whose data would displace everything else in the caches. A cache
/// line that such stores write completely need not be read from memory.
///
/// Input: a wide function (wide_function.hpp).
/// Output: a copy of the function in which one store bypasses the caches. At run time, the store becomes one
/// non-temporal store if the address is aligned to a vector, or several non-temporal stores of 16 bytes if the address
/// is aligned to 16 bytes. The store must be a store of a whole vector, outside of loops, to memory that the function
/// does not read. There is no copy if the function has no such store, or several of them. A store fence must follow
/// code that runs the copy. The wide function stays unchanged, for launches whose data fit the caches.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

struct streaming_form {
  llvm::Function* function = nullptr;
  std::uint64_t bytes_per_item = 0;  ///< bytes that a work-item reads and writes; each array counts once
  std::uint64_t store_bytes = 0;     ///< bytes that all lanes together store without using the caches
};

streaming_form make_streaming(llvm::Function& wide, unsigned lanes);

}  // namespace sinter::passes
