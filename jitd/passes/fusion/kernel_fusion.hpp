#pragma once
/// Joins the member kernels of a fusion into one kernel ("Fusion Process" and "Fusing kernels with different nd-ranges"
/// in the design of sycl_ext_codeplay_kernel_fusion).
///
/// Input: a stub `void(ptr blocks)` with fusion metadata (fusion_metadata.hpp); the members are functions `void(ptr
///   block)` of its module. `blocks` points to the members' argument blocks, in order.
/// Output: the stub's body: for each work-item the members in order, inlined, each with its own block, its own part of
/// local
///   memory, and, where ranges differ, its own ids (the global linear id stays the same) under a guard that leaves out
///   work-items it does not have. Work-groups meet in front of the members the metadata names. Where one member visits
///   the elements that are the others' work-items, they are in its body, at each visit.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Error fuse_kernels(llvm::Function& stub);

} // namespace sinter::passes
