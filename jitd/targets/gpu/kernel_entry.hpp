#pragma once
/// The entry around a kernel, and the positions of its work-items.

#include <array>
#include <optional>

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// Position of a work-item, 64 bits each, padded SYCL order. Values of the entry block.
struct geometry {
  using values = std::array<llvm::Value*, 3>;
  values global_id, local_id, group_id, global_range, local_range, group_range, offset;
  llvm::Value* linear_local_id;
  llvm::Value* items_of_group;
  llvm::Value* meeting;  ///< abi::gpu_geometry
  // If blocks take several groups (abi::gpu_target::turns), the members above are about the first one.
  /// Number of groups that it takes; number of blocks; linear id of its first group.
  llvm::Value *turns, *blocks, *first_group;
  bool narrow;                                ///< ids have 32 bits
  unsigned dimensions;
};

/// The coordinates of the group with that linear id.
geometry::values coordinates_of(llvm::IRBuilder<>& builder, llvm::Value* linear, const geometry::values& extents,
                                unsigned dimensions);

struct kernel_entry {
  llvm::Function* function;
  geometry where;
};

/// The block in a range kernel's grid: 256 work-items, along the last dimension at least 32.
abi::local_range block_of_range(unsigned dimensions);

/// The kernel is inlined into the entry, and gone. `local_range`: zeros if not known. `smaller`: blocks of a
/// one-dimensional range may have fewer work-items than that.
kernel_entry make_entry(const dialect& words, llvm::Module& module, llvm::Function& kernel,
                        const kernel_facts& facts, const abi::jit_request& request,
                        const abi::local_range& local_range, bool smaller);

}  // namespace sinter::jit::gpu
