#pragma once
/// Computes the accesses of one kernel to global memory, for the arguments and the range of one launch.
///
/// Input: a member kernel `void(ptr block)` with device calls inlined. This kernel is not yet joined with other
///   members, because later passes forward values from member to member, which removes accesses.

#include <string_view>

#include "access_form.hpp"
#include "fusion_metadata.hpp"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `block` holds the bytes of the argument block. The analysis uses integers in the block as known numbers.
/// `sub_group_size` is 0 if it is not known.
access_summary analyse_accesses(llvm::Function& kernel, const fusion_range& range, std::string_view block,
                                unsigned sub_group_size = 0);

} // namespace sinter::passes
