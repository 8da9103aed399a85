#pragma once
/// The kernel as a function of one work-item's position.
///
/// Input: a kernel `void(ptr block)` into which device calls were inlined; a fused one takes the array of its members'
///   blocks, so that blocks are two loads away (`block_levels`).
/// Output: an internal function with the parameters below that returns 0; no call for an id, local memory or scratch is
///   left. Loads from the argument block are invariant. Memory accesses that are not private carry `access_group`:
///   work-items have no order, so the loop around them may be declared parallel.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Parameters, three each in padded SYCL order.
enum work_item_parameter : unsigned {
  parameter_block = 0,
  parameter_global_id = 1,
  parameter_local_id = 4,
  parameter_group_id = 7,
  parameter_global_range = 10,
  parameter_local_range = 13,
  parameter_group_range = 16,
  parameter_global_offset = 19,
  parameter_local_base = 22,
  parameter_context = 23,    ///< live values across barriers, of the whole group
  parameter_item = 24,       ///< linear position in the group
  parameter_item_count = 25, ///< work-items of the group
  parameter_scratch = 26,    ///< memory of group algorithms
  parameter_shape = 27,      ///< three: the local range of the launch, if the group is one row (flat_groups.hpp)
  parameter_reciprocal = 30, ///< two: for quotients by its last two dimensions together, and by its last one
  parameter_count = 32,
};

/// Facts about the memory of a kernel's arguments, so that arguments may be read before it is known whether they are
/// needed.
struct argument_block {
  std::uint64_t bytes = 0;  ///< 0: nothing
  std::uint64_t alignment = 1;
};

/// For arguments that become values only now: marks loads from their block as invariant. make_work_item_function has
/// marked direct loads.
void mark_argument_loads(llvm::Function& work_item, unsigned block_levels = 1);

void state_argument_block(llvm::Function& work_item, const argument_block& block);

/// Whether other work-items or the host may notice that the instruction ran.
bool is_noticed(const llvm::Instruction& instruction);

struct work_item_function {
  llvm::Function* function;
  llvm::MDNode* access_group;
};

work_item_function make_work_item_function(llvm::Function& kernel, unsigned block_levels = 1);

/// All launches have this local range. It becomes constants, and local ids are below it.
void state_local_range(llvm::Function& work_item, const std::array<std::uint64_t, 3>& local_range);

} // namespace sinter::passes
