#pragma once
/// Replaces an argument's global memory by private memory of the work-item or local memory of the work-group.
///
/// Input: a pointer argument of a fused kernel (fused_arguments.hpp) and the size of the memory that replaces it.
/// Output: an access to byte `offset` of the old memory is now an access to byte `offset % size` of the new memory.
///
/// The pass follows GEPs, casts, selects, phis and freeze. Functions that get the pointer are inlined first. The pass
/// refuses pointers that escape, and has then changed nothing except for the inlining. A pointer escapes if it is
/// stored, compared, turned into an integer, mixed with another pointer, or passed to an unknown function or to an
/// intrinsic for unordered atomic copies.

#include "fusion_metadata.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

struct replacement_memory {
  promotion kind;
  std::uint64_t bytes;
  std::uint64_t local_offset;  ///< for local memory: bytes from the group's local base
};

/// Returns an empty string on success, else the reason for refusing.
std::string internalize(llvm::LoadInst& pointer, const replacement_memory& memory);

} // namespace sinter::passes
