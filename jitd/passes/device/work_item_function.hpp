#pragma once
/// Turns a kernel into a function that runs one work-item. The work-item's position is in the parameters.
///
/// Input: a kernel `void(ptr block)` into which device calls were inlined. A fused kernel takes the array of its
/// members' blocks, so that arguments are two loads away (`block_levels`).
/// Output: an internal function that has the parameters below, returns 0, and has no calls for ids, local memory or
///   scratch. Loads from the argument block are invariant. Memory accesses that are not private carry `access_group`:
///   work-items have no order, so the loop around them may be declared parallel.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Numbers of the parameters. Ids and ranges have three parameters each, in padded SYCL order.
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
  parameter_context = 23,    ///< values of the whole group that live across barriers
  parameter_item = 24,       ///< the work-item's linear position in its group
  parameter_item_count = 25, ///< number of work-items of the group
  parameter_scratch = 26,    ///< memory of group algorithms
  parameter_shape = 27,      ///< three parameters: the launch's local range if the group is one row (flat_groups.hpp)
  /// Two factors that replace divisions by sizes of that range. The first factor replaces the division by the product
  /// of elements 1 and 2, and the second factor the division by element 2.
  parameter_reciprocal = 30,
  parameter_count = 32,
};

/// Facts about the memory of a kernel's arguments. They allow code to read an argument even in cases in which the
/// program does not.
struct argument_block {
  std::uint64_t bytes = 0;  ///< 0 if nothing is known
  std::uint64_t alignment = 1;
};

/// Marks loads from the argument block as invariant. make_work_item_function marks direct loads; this function is for
/// loads that later passes have uncovered.
void mark_argument_loads(llvm::Function& work_item, unsigned block_levels = 1);

void state_argument_block(llvm::Function& work_item, const argument_block& block);

/// Whether other work-items or the host may notice that the instruction ran.
bool is_noticed(const llvm::Instruction& instruction);

struct work_item_function {
  llvm::Function* function;
  llvm::MDNode* access_group;
};

work_item_function make_work_item_function(llvm::Function& kernel, unsigned block_levels = 1);

/// States that all launches have this local range. The parameters for this range become constants, and local ids are
/// marked as smaller than the range.
void state_local_range(llvm::Function& work_item, const std::array<std::uint64_t, 3>& local_range);

} // namespace sinter::passes
