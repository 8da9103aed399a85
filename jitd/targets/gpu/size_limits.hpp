#pragma once
/// The sizes of groups and sub-groups that a kind of GPU supports.

#include <abi/image_format.hpp>
#include <abi/local_range.hpp>
#include <cstdint>

#include "llvm/Support/Error.h"

namespace sinter::jit::gpu {

struct size_limits {
  const char* whose;              ///< name for messages, such as "NVIDIA GPUs"
  unsigned sub_group_size;        ///< size of sub-groups if the kernel requires none
  /// Whether a sub-group of a kernel may be a part of the GPU's sub-group. The part's size is then a power of two.
  bool has_parts;
  std::uint64_t most[3];          ///< the largest size of a group in each dimension, in SYCL's order
  std::uint64_t most_in_all;
};

/// Returns the size of sub-groups that the kernel requires. If the kernel requires none, returns the GPU's own size.
unsigned sub_group_size_of(const size_limits& limits, const abi::image_kernel& row);

/// Refuses sub-groups that the kernel requires and the GPU does not have, and blocks that are too large. A zero in a
/// block's size means that the size is not known.
llvm::Error refuse_sizes(const size_limits& limits, const abi::image_kernel& row, const abi::local_range& block);

}  // namespace sinter::jit::gpu
