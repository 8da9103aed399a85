#pragma once
/// Sizes of groups and sub-groups that a kind of GPU has.

#include <abi/image_format.hpp>
#include <abi/local_range.hpp>
#include <cstdint>

#include "llvm/Support/Error.h"

namespace sinter::jit::gpu {

struct size_limits {
  const char* whose;              ///< "NVIDIA GPUs"
  unsigned sub_group_size;        ///< where the kernel requires none
  bool has_parts;                 ///< a sub-group may be a part of one, if its size is a power of two
  std::uint64_t most[3];          ///< work-items of a group, last dimension last
  std::uint64_t most_in_all;
};

/// The size that the kernel requires, else the GPU's own.
unsigned sub_group_size_of(const size_limits& limits, const abi::image_kernel& row);

/// Sub-groups that the kernel requires and the GPU does not have, and blocks that are too large; zeros of those are not
/// known.
llvm::Error refuse_sizes(const size_limits& limits, const abi::image_kernel& row, const abi::local_range& block);

}  // namespace sinter::jit::gpu
