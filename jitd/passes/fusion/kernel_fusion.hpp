#pragma once
/// Joins the member kernels of a fusion into one kernel ("Fusion Process" and "Fusing kernels with different nd-ranges"
/// in the design of sycl_ext_codeplay_kernel_fusion).
///
/// Input: a stub `void(ptr blocks)` with fusion metadata (fusion_metadata.hpp); the members are functions `void(ptr
///   block)` of its module. `blocks` points to the members' argument blocks, in order.
/// Output: the stub's body. For each work-item, it runs the inlined members in order. Each member has its own block and
///   its own part of local memory. If a member's range differs from the fused range, the member has its own ids (the
///   global linear id stays the same), and a guard skips work-items that the member does not have. There are barriers
///   in front of the members that the metadata names. If one member visits elements, and the other members have a
///   work-item for each element, the other members are inlined at each visit.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Error fuse_kernels(llvm::Function& stub);

} // namespace sinter::passes
