#pragma once
/// Makes the entry around a kernel, and computes the positions of its work-items.

#include <array>
#include <optional>

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// The position of a work-item: values of the entry block with 64 bits each, in padded SYCL order.
struct geometry {
  using values = std::array<llvm::Value*, 3>;
  values global_id, local_id, group_id, global_range, local_range, group_range, offset;
  llvm::Value* linear_local_id;
  llvm::Value* items_of_group;
  llvm::Value* meeting;  ///< abi::gpu_geometry::meeting
  // If blocks run several groups (abi::gpu_target::turns), the members above describe the block's first group.
  // `turns` is the number of groups that the block runs, `blocks` is the number of blocks, and `first_group` is the
  // linear id of the block's first group.
  llvm::Value *turns, *blocks, *first_group;
  bool narrow;                                ///< whether ids have 32 bits
  unsigned dimensions;
};

/// Computes the coordinates of the group with the linear id `linear`.
geometry::values coordinates_of(llvm::IRBuilder<>& builder, llvm::Value* linear, const geometry::values& extents,
                                unsigned dimensions);

struct kernel_entry {
  llvm::Function* function;
  geometry where;
};

/// The size of blocks of a range kernel: 256 work-items, with at least 32 along the last dimension.
abi::local_range block_of_range(unsigned dimensions);

/// Makes the entry, into which the kernel is inlined. The kernel is removed. `local_range` is zeros if not known.
/// `smaller` says that blocks of a one-dimensional range may have fewer work-items than `local_range`.
kernel_entry make_entry(const dialect& words, llvm::Module& module, llvm::Function& kernel,
                        const kernel_facts& facts, const abi::jit_request& request,
                        const abi::local_range& local_range, bool smaller);

}  // namespace sinter::jit::gpu
