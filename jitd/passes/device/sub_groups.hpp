#pragma once
/// Sub-groups on the CPU: work-items whose linear local ids follow each other (abi/device_abi.hpp). Here, sub-groups
/// lie along the last dimension; otherwise groups are turned into one row before (flat_groups.hpp).
///
/// If a work-item function becomes vectors, the lanes are the sub-group (wide_instructions). Elsewhere work-items run
/// one after the other, and exchange_through_memory lets them hand values to each other.

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

enum class sub_group_call : std::uint8_t { none, size, local_id, local_range, shuffle, ballot, barrier };

/// `barrier` means a barrier of a sub-group.
sub_group_call sub_group_call_of(const llvm::Instruction& instruction);

/// Whether anything is asked of a sub-group.
bool asks_for_sub_groups(const llvm::Function& function);

/// Whether it matters which work-items form a sub-group: the code asks for more than the size.
bool needs_sub_groups(const llvm::Function& function);

/// Makes the size a number.
void state_sub_group_size(llvm::Function& function, unsigned size);

/// For kernels without groups: each work-item becomes a sub-group and a group of its own. Libraries ask for them in
/// functions that any kernel may call.
void make_groups_of_one(llvm::Function& work_item);

/// Input: a work-item function (work_item_function.hpp), to be cut at barriers of sub-groups as well
///   (barrier_regions.hpp).
/// Output: no shuffle, ballot or query is left. Each work-item has a mailbox in its private memory, and
///   split_at_barriers keeps those side by side: it stores its value, waits for the others and reads theirs. Two
/// mailboxes are used in turn, so that one barrier is enough
void exchange_through_memory(llvm::Function& work_item, unsigned size);

} // namespace sinter::passes
