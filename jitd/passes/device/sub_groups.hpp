#pragma once
/// Sub-groups on the CPU: work-items whose linear local ids follow each other (abi/device_abi.hpp). This code needs
/// sub-groups that lie along the last dimension. If sub-groups lie otherwise, an earlier pass turns groups into one row
/// (flat_groups.hpp).
///
/// If a work-item function becomes vectors, the lanes are the sub-group (wide_instructions). Otherwise work-items run
/// one after the other, and exchange_through_memory lets them pass values to each other.

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

enum class sub_group_call : std::uint8_t { none, size, local_id, local_range, shuffle, ballot, barrier };

/// The kind of a call. `barrier` means a barrier of a sub-group.
sub_group_call sub_group_call_of(const llvm::Instruction& instruction);

/// Whether the function has a call for sub-groups.
bool asks_for_sub_groups(const llvm::Function& function);

/// Whether it matters which work-items form a sub-group: the code uses more than the sub-group's size.
bool needs_sub_groups(const llvm::Function& function);

/// Replaces queries of the size by a number, and removes code for other sizes.
void state_sub_group_size(llvm::Function& function, unsigned size);

/// Makes each work-item a sub-group and a group of its own, for kernels without groups. Such kernels may also query
/// groups: they may call functions of libraries that query groups.
void make_groups_of_one(llvm::Function& work_item);

/// Input: a work-item function (work_item_function.hpp), which will be cut at barriers of sub-groups, too
/// (barrier_regions.hpp).
/// Output: no shuffle, ballot or query is left. Each work-item has two mailboxes in its private memory, and
///   split_at_barriers keeps the mailboxes of all work-items side by side. A work-item stores its value, waits for the
///   other work-items and reads their values. The two mailboxes are used in turn, so that one barrier is enough.
void exchange_through_memory(llvm::Function& work_item, unsigned size);

} // namespace sinter::passes
